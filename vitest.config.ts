import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

/** Our own packages run from their sources; `import` and `default` would reach into the dependencies of dependencies. */
const source = ['@posthorn/source', 'node']

/** Test files of that name in the packages that run in memory. */
const inMemory = (name: string) =>
  ['core', 'testkit', 'http-express'].map((of) => `packages/${of}/test/**/${name}.test.ts`)

/** What needs a MongoDB server, which is started when one of these is to run. */
const onMongoDB = ['packages/adapters-mongo/test/**/*.test.ts', 'apps/*/test/mongo/**/*.test.ts']

/** What takes long and has little to do with the Node that it runs on: browsers, thousands of requests, the tools that measure and break. */
const onOneNode = [
  'packages/*/test/**/*.browser.test.ts',
  'packages/http-express/test/fuzz*.test.ts',
  'packages/http-express/test/**/*.fronts.test.ts',
  'packages/adapters-ses/test/throttling.test.ts',
  'apps/*/test/{*.browser,attack,bench,chaos,hits-crash,journey-of-mails}.test.ts',
  'scripts/packages.test.ts',
]

/** To load the modules anew for each file took more than half of the processor's time. */
const shared = { isolate: false, maxWorkers: Math.max(2, availableParallelism() - 1) }

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Of what is waited for: it comes, however slow the machine is.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'fast',
          include: inMemory('*'),
          // What starts a browser or a proxy, or makes thousands of requests.
          exclude: [...configDefaults.exclude, ...inMemory('{*.browser,*.fronts,fuzz*}')],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'processes',
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'scripts/**/*.test.ts',
            'tests/local-aws/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...onMongoDB, ...onOneNode, ...inMemory('*')],
        },
      },
      {
        extends: true,
        test: { ...shared, name: 'one-node', include: onOneNode },
      },
      {
        extends: true,
        test: {
          name: 'mongodb',
          include: onMongoDB,
          globalSetup: ['packages/adapters-mongo/test/server/global-setup.ts'],
          // After all others. They wait for leases and servers more than they work.
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
        },
      },
    ],
  },
})
