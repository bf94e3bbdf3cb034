import { configDefaults, defineConfig } from 'vitest/config'

/** Our own packages run from their sources; `import` and `default` would reach into the dependencies of dependencies. */
const source = ['@posthorn/source', 'node']

/** What needs a MongoDB server, which is started when one of these is to run. */
const onMongoDB = ['packages/adapters-mongo/test/**/*.test.ts', 'apps/*/test/mongo/**/*.test.ts']

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'posthorn',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...onMongoDB],
        },
      },
      {
        extends: true,
        test: {
          name: 'mongodb',
          include: onMongoDB,
          globalSetup: ['packages/adapters-mongo/test/server/global-setup.ts'],
        },
      },
    ],
  },
})
