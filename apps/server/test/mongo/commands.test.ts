import { afterEach, beforeEach, expect, it } from 'vitest'
import { dropDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { measureCommands, sumOf } from '../../../../tests/bench/mongodb-commands.js'

const recipients = 2_000
const patience = 120_000

onMongoDB('what MongoDB is sent', () => {
  let url = ''
  beforeEach(() => {
    url = databaseUrl()
  })
  afterEach(() => dropDatabase(url))

  it(
    'stay within their budget: an import, a campaign of two workers, its events, and an idle server',
    async () => {
      const options = { startSeconds: 8, idleSeconds: 10 }
      const { campaign, idle, webhook, import: imported } = await measureCommands({ url, recipients, ...options })
      expect(sumOf(imported)).toBeLessThanOrEqual(9)
      // A campaign of 10,000 has the same beginning and end, and therefore fewer for each thousand. On a busy machine pages take so long
      // that rows are queued and claimed.
      expect(sumOf(campaign)).toBeLessThan(130)
      // Each page of an audience is one of them, and has a dozen of commands.
      expect(campaign['insert deliveries']).toBeLessThanOrEqual(1.5)
      expect(sumOf(idle)).toBeLessThan(1.7)
      // Of 1,000 events: an insert for each hundred outcomes, a read and two writes for each page. 20 were counted for 10,000 recipients.
      const ofWebhooks = Object.entries(webhook).filter(([name]) => /webhook|apiKeys/.test(name))
      expect(sumOf(Object.fromEntries(ofWebhooks))).toBeLessThan(60)
    },
    patience,
  )
})
