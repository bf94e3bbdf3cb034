import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Our own packages run from their sources; `import` and `default` would reach into the dependencies of dependencies. */
const source = ['@posthorn/source', 'node']

const inMemory = ['core', 'testkit', 'http-express', 'client', 'mcp', 'console'].map(
  (name) => `packages/${name}/test/**/*.test.ts`,
)

const onMongoDB = ['packages/adapters-mongo/test/**/*.test.ts', 'apps/*/test/mongo/**/*.test.ts']

/** In `npm test` and again in `npm run test:nightly`, which makes more requests, mails and runs (tests/thorough.ts). */
const inTwoSizes = [
  'tests/{attack,bench}/*.test.ts',
  'packages/http-express/test/fuzz.test.ts',
  'apps/*/test/{bounces,crash}.test.ts',
  'packages/adapters-sqlite/test/processes.test.ts',
  // The browser of `npm test`.
  'packages/http-express/test/signup-journey.browser.test.ts',
  'packages/console/test/console-smoke.browser.test.ts',
]

/** Properties of stores, likewise. */
const propertiesInTwoSizes = [
  'packages/adapters-sqlite/test/sqlite-store.contract.test.ts',
  'packages/adapters-mongo/test/store/*.contract.test.ts',
  'apps/server/test/api-model.test.ts',
]

/** Only in `npm run test:slow`: journeys in browsers, proxies, kills, outages, several servers, backups, installations, commands of the documents. */
const slow = [
  'packages/console/test/!(console-smoke|failures|hostile|journey-by-keyboard|journey-on-mongodb|screens).browser.test.ts',
  '{apps,packages/!(console)}/**/!(signup-journey).browser.test.ts',
  '**/*.fronts.test.ts',
  'apps/*/test/{callers,demo,directory-clock,journey-of-mails,locked-store,private-files,project-command,readme-run,running-servers,ses-crash,submission-clients,tls}.test.ts',
  'apps/*/test/mongo/{api-model,processes,start}.test.ts',
  'apps/*/test/backup/*.test.ts',
  'scripts/packages.test.ts',
]

/** Only in `npm run test:nightly`: every screen, failure and kill, outages of databases and their queries, journeys on other stores and by keyboard, releases. */
const nightly = [
  'tests/chaos/*.test.ts',
  'apps/*/test/{batch-crash,bulk-crash,hits-crash}.test.ts',
  'packages/adapters-ses/test/throttling.test.ts',
  'packages/http-express/test/fuzz-uploads.test.ts',
  'packages/console/test/{failures,hostile,journey-by-keyboard,journey-on-mongodb,screens}.browser.test.ts',
  'packages/adapters-mongo/test/{schema/query-plans,steps/mongo-steps}.test.ts',
  'apps/*/test/mongo/{callers,commands,journey-of-mails,restored,store-copy}.test.ts',
  'apps/*/test/mongo/outages/!(links-lead-on).test.ts',
  'scripts/{deploying/{dockerfile,image,operators-journey},release/release}.test.ts',
]
const beyondTest = [...slow, ...nightly]

/** Where no run has measured them, these begin first: the last one to begin would keep all others waiting. */
const longest = /(packages|journey-by-mouse|editing|settings|readme-run|visual-editor|callers)\.(browser\.)?test\.ts$/
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId.slice(moduleId.lastIndexOf('/') + 1))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** To load the modules anew for each file took more than half of the processor's time. */
const shared = { isolate: false, maxWorkers: Math.max(2, availableParallelism() - 1) }
const mongoServer = ['packages/adapters-mongo/test/server/global-setup.ts']
const walked = ['packages/console/test/walked.ts']

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Longer than anything takes on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'fast',
          include: inMemory,
          exclude: [...configDefaults.exclude, ...beyondTest, ...inTwoSizes],
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
            'tests/chaos/power/**/*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...inMemory, ...onMongoDB, ...beyondTest, ...inTwoSizes],
        },
      },
      {
        extends: true,
        test: { ...shared, name: 'smoke', include: inTwoSizes },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'mongodb',
          include: onMongoDB,
          exclude: [...configDefaults.exclude, ...beyondTest],
          globalSetup: mongoServer,
          // After all others: they wait for leases and servers more than they work, so three run at a time.
          sequence: { groupOrder: 1 },
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        // Browsers and servers are waited for more than they work, so three run at a time.
        test: { ...shared, name: 'slow', include: slow, globalSetup: [...mongoServer, ...walked], maxWorkers: 3 },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'nightly',
          include: [...nightly, ...inTwoSizes, ...propertiesInTwoSizes],
          globalSetup: mongoServer,
          provide: { thorough: true },
        },
      },
    ],
  },
})
