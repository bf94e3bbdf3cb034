import { openMongoStore } from '@posthorn/adapters-mongo'
import { afterAll, expect, it } from 'vitest'
import { databases } from '../../../../packages/adapters-mongo/test/databases.js'
import { onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { assertApiModel, type ModelStore } from '../api-model.js'

const { take, give, drop } = databases()
afterAll(drop)

const open = async (): Promise<ModelStore> => {
  const url = take()
  const {
    repositories,
    counters,
    deliveries,
    dispatchResults,
    audience,
    contactSearch,
    membershipStore,
    figures,
    close,
  } = await openMongoStore({
    url,
    log: () => {},
  })
  return {
    ports: { repositories, counters, deliveries, dispatchResults, audience, contactSearch, membershipStore, figures },
    close: async () => {
      await close()
      await give(url)
    },
  }
}

onMongoDB('the whole API on MongoDB', () => {
  it('behaves like its model for any sequence of requests', async () => {
    await expect(assertApiModel(open, { seed: 3, runs: 12 })).resolves.toBeUndefined()
  }, 300_000)
})
