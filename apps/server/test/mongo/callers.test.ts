import { afterEach, beforeEach, expect, it } from 'vitest'
import { dropDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { callersJourney } from '../callers-journey.js'

onMongoDB('programs that call', () => {
  let url = ''
  beforeEach(() => {
    url = databaseUrl()
  })
  afterEach(() => dropDatabase(url))

  it('repeat after a kill -9 without effect, and share one ledger, on MongoDB', async () => {
    await expect(callersJourney({ MONGODB_URL: url })).resolves.toBeUndefined()
  }, 600_000)
})
