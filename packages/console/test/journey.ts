import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import type { Hand } from './hands.js'
import {
  aJourney,
  aPage,
  buildSegment,
  checkAudience,
  createOwner,
  explain,
  importContacts,
  inviteWriter,
  type Journey,
  killMidway,
  readReport,
  retry,
  send,
  sendTest,
  suppressOne,
  watchTheEnd,
  writeCampaign,
} from './journey-steps.js'

/** In ms: a mail that was refused for now is tried again after one minute, then after two. */
const longest = 400_000

/** The whole way of a campaign, one step after the other, by one kind of hand. */
export const walkTheJourney = (kind: string, handOf: (page: Page) => Hand): void =>
  describeInBrowser('the journey of a campaign', () => {
    describe(`${kind}`, { timeout: longest }, () => {
      let browser: Browser
      let journey: Journey
      let owner: Hand
      beforeAll(async () => {
        browser = await aBrowser()
        journey = await aJourney()
        owner = handOf(await aPage(browser))
      })
      afterAll(async () => {
        await browser?.close()
        await journey?.close()
      })

      it('begins with a link that creates the owner', () => createOwner(owner, journey))
      it('imports 10,000 contacts and says which rows are wrong', () => importContacts(owner, journey))
      it('suppresses an address', () => suppressOne(owner))
      it('counts a segment while it is built', () => buildSegment(owner))
      it('writes a campaign and previews it as a contact', () => writeCampaign(owner))
      it('says who is left out, why, and which merge tags they lack', () => checkAudience(owner))
      it('sends a test', () => sendTest(owner, journey))
      it('sends with the number on the button', () => send(owner))
      it('shows books that balance while the server is killed midway', () => killMidway(owner, journey))
      it('continues by itself until everybody has an outcome', () => watchTheEnd(owner, journey))
      it('reports what became of everybody', () => readReport(owner, journey))
      it('explains addresses, lifts a suppression and sends one mail again', () => explain(owner, journey))
      it('retries the others by reason', () => retry(owner))
      it('invites a writer, who may not send', async () => inviteWriter(owner, handOf(await aPage(browser)), journey))
    })
  })
