import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, it } from 'vitest'
import { dropDatabase } from '../../adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../adapters-mongo/test/on-mongodb.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { type Hand, mouse } from './hands.js'
import {
  aJourney,
  aPage,
  buildSegment,
  createOwner,
  explain,
  importContacts,
  type Journey,
  readReport,
  send,
  suppressOne,
  watchTheEnd,
  writeCampaign,
} from './journey-steps.js'

onMongoDB('on MongoDB', () => {
  describeInBrowser('a campaign', () => {
    const url = databaseUrl()
    let browser: Browser
    let journey: Journey
    let owner: Hand
    beforeAll(async () => {
      browser = await aBrowser()
      journey = await aJourney({ MONGODB_URL: url })
      owner = mouse(await aPage(browser))
    }, 300_000)
    afterAll(async () => {
      await browser?.close()
      await journey?.close()
      await dropDatabase(url)
    })

    it('leads from an import to a report and an explanation', async () => {
      await createOwner(owner, journey)
      await importContacts(owner, journey)
      await suppressOne(owner)
      await buildSegment(owner)
      await writeCampaign(owner)
      await send(owner)
      await watchTheEnd(owner, journey)
      await readReport(owner, journey)
      await explain(owner, journey)
    }, 900_000)
  })
})
