import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { describe, it } from 'vitest'
import { assertApiModel } from './api-model.js'

describe('the whole API, whatever is asked of it in whatever order, is what a model of it is', () => {
  it(
    'in memory',
    () => assertApiModel(async () => ({ ports: {}, close: async () => {} }), { seed: 1, runs: 15 }),
    120_000,
  )

  it('on SQLite', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-model-'))
    let stores = 0
    try {
      await assertApiModel(
        async () => {
          stores += 1
          const { repositories, counters, deliveries, audience, figures, close } = openSqliteStore({
            file: join(folder, `${stores}.db`),
          })
          return { ports: { repositories, counters, deliveries, audience, figures }, close }
        },
        { seed: 2, runs: 8 },
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  }, 120_000)
})
