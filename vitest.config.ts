import { defineConfig } from 'vitest/config'

/** Our own packages run from their sources; `import` and `default` would reach into the dependencies of dependencies. */
const source = ['@posthorn/source', 'node']

export default defineConfig({
  resolve: { conditions: source },
  ssr: { resolve: { conditions: source } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'scripts/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
