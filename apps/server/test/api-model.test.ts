import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@posthorn/adapters-sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { thorough } from '../../../tests/thorough.js'
import { assertApiModel, type ModelStore } from './api-model.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-model-'))
})
afterAll(() => rm(folder, { recursive: true }))

const inMemory = async (): Promise<ModelStore> => ({ ports: {}, close: async () => {} })

let files = 0
const onSqlite = async (): Promise<ModelStore> => {
  files += 1
  const { close, ...store } = openSqliteStore({ file: join(folder, `${files}.db`) })
  const { repositories, counters, deliveries, audience, contactSearch, membershipStore, figures } = store
  return { ports: { repositories, counters, deliveries, audience, contactSearch, membershipStore, figures }, close }
}

const patience = 120_000

describe('the API behaves like a model of it for any sequence of requests', () => {
  it.each([
    ['in memory', inMemory, { seed: 1, runs: thorough ? 15 : 5 }],
    ['on SQLite', onSqlite, { seed: 2, runs: thorough ? 8 : 4 }],
  ])('%s', (_, open, runs) => expect(assertApiModel(open, runs)).resolves.toBeUndefined(), patience)
})
