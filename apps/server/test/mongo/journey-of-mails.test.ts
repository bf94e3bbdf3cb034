import { afterEach, beforeEach, expect, it } from 'vitest'
import { dropDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { journeyOfMails } from '../journey-of-mails.js'

onMongoDB('what becomes of mails', () => {
  let url = ''
  beforeEach(() => {
    url = databaseUrl()
  })
  afterEach(() => dropDatabase(url))

  it('suppresses, counts and publishes outcomes once on MongoDB, with the receiver down and repeated reports', async () => {
    await expect(journeyOfMails({ store: { MONGODB_URL: url }, returnsAfter: 500 })).resolves.toBeUndefined()
  })
})
