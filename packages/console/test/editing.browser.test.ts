import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectOf } from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { type Hand, mouse } from './hands.js'
import { aJourney, aPage, createOwner, type Journey, password } from './journey-steps.js'

const readers = 300

describeInBrowser('somebody who edits and sends', () => {
  let browser: Browser
  let journey: Journey
  let owner: Hand
  let page: Page
  let api: ReturnType<typeof projectOf>
  let home = ''

  const aDraft = async (name: string) => {
    const body = { name, subject: name, type: 'text', document: 'Hello', timeZone: 'UTC', subscriberListId: api.list }
    const { _id = '' } = await api.post('/campaigns', body)
    return { id: _id, url: `${home}/campaigns/${_id}` }
  }
  const subjectOf = async (id: string) => (await api.get(`/campaigns/${id}`)).subject
  const saved = () => page.getByText(/^Saved \d/).waitFor()

  beforeAll(async () => {
    browser = await aBrowser()
    journey = await aJourney({ POSTHORN_MAIL_RATE: '20' })
    journey.refused.clear()
    page = await aPage(browser)
    owner = mouse(page)
    await createOwner(owner, journey)
    api = projectOf(journey.server)
    home = page.url().replace(/\/home.*/, '')
    for (let n = 0; n < readers; n += 1)
      await api.post(`/subscriber-lists/${api.list}/subscribers`, { email: `r${n}@example.net`, status: 'active' })
  })
  afterAll(async () => {
    await browser?.close()
    await journey?.close()
  })

  it('loses nothing by leaving the page at once, inside the console or by loading it again', async () => {
    const { id, url } = await aDraft('Leaving')
    await page.goto(url)
    await owner.write('Subject', 'Written and left')
    await owner.follow('Deliveries')
    await expect.poll(() => subjectOf(id)).toBe('Written and left')
    await page.goto(url)
    await saved()
    await page.context().setOffline(true)
    await owner.write('Subject', 'Written without a server')
    await page.getByText('Not saved', { exact: true }).waitFor()
    await page.context().setOffline(false)
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await saved()
    expect(await subjectOf(id)).toBe('Written without a server')
  })

  it('is told of another tab, and chooses whose version stays', async () => {
    const { id, url } = await aDraft('Two editors')
    await page.goto(url)
    const other = mouse(await page.context().newPage())
    await other.page.goto(url)
    await other.write('Subject', 'Theirs')
    await other.page.getByText(/^Saved \d/).waitFor()
    await page.getByText('You saved this in another tab').waitFor()
    await owner.write('Subject', 'Mine')
    await owner.press('Keep this one')
    await expect.poll(() => subjectOf(id)).toBe('Mine')
    await other.page.getByText('You saved this in another tab').waitFor()
    await other.press('Load that version')
    await expect.poll(() => other.page.getByLabel('Subject').inputValue()).toBe('Mine')
    await other.page.close()
  })

  it('signs in again above the page after the session has ended, and keeps what was typed', async () => {
    const { id, url } = await aDraft('Expiring')
    await page.goto(url)
    await saved()
    await page.context().clearCookies()
    await owner.write('Subject', 'Typed without a session')
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await owner.write('Password', password)
    await owner.press('Sign in')
    await expect.poll(() => subjectOf(id)).toBe('Typed without a session')
    expect(await page.getByLabel('Subject').inputValue()).toBe('Typed without a session')
  })

  it('is warned before a time after which nothing can be changed, in the zone of the campaign', async () => {
    const { id, url } = await aDraft('Soon')
    await page.goto(`${url}?step=time`)
    await owner.choose('When to send', 'At a time')
    const soon = new Date(Date.now() + 4 * 60_000)
    await owner.choose('Time zone', 'Asia/Tokyo')
    const inTokyo = new Date(soon.getTime() + 9 * 3_600_000).toISOString().slice(0, 16)
    await owner.write('Date and time', inTokyo)
    await page.getByText('This is less than six minutes away').waitFor()
    await page.getByText(/with you \(/).waitFor()
    await saved()
    expect(Date.parse((await api.get(`/campaigns/${id}`)).scheduledTo ?? '')).toBe(Math.floor(+soon / 60_000) * 60_000)
    await owner.press(`Schedule for ${readers} people`)
    await owner.press(`Schedule for ${readers} people`, page.getByRole('dialog'))
    await owner.press('Back to draft')
    expect(await page.getByRole('alert').innerText()).toContain('cannot be changed within 5 minutes')
  })

  it('stops and continues a campaign, exports, duplicates and sends it again to those who did not open', async () => {
    const { id, url } = await aDraft('Stopped')
    await page.goto(url)
    await owner.press(`Send to ${readers} people`)
    await owner.press(`Send to ${readers} people`, page.getByRole('dialog'))
    const received = () => journey.relay.received.filter(({ text }) => text.includes('Subject: Stopped')).length
    await expect.poll(received).toBeGreaterThan(20)
    await owner.press('Stop…')
    await page.getByText('cannot be taken back').waitFor()
    await owner.press('Stop sending', page.getByRole('dialog'))
    await page.getByText('Stopped by Olga Owner.').first().waitFor()
    expect(received()).toBeLessThan(readers)
    await owner.press('Continue sending')
    await owner.press('Continue sending', page.getByRole('dialog'))
    await expect.poll(async () => (await api.get(`/campaigns/${id}`)).status, { timeout: 120_000 }).toBe('sent')
    expect(received()).toBe(readers)

    const download = page.waitForEvent('download')
    await owner.follow('Export all recipients as CSV')
    expect(
      readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(readers + 1)
    await owner.press('Resend…')
    await owner.press('Create a draft')
    await page.getByRole('heading', { name: 'Stopped, again' }).waitFor()
    await page.getByRole('button', { name: `Send to ${readers} people` }).waitFor()
    await page.goto(url)
    await owner.press('Duplicate')
    await page.getByRole('heading', { name: 'Copy of Stopped' }).waitFor()
  }, 300_000)

  it('acts on all contacts that match, beyond the page', async () => {
    await page.goto(`${home}/audience/contacts`)
    await owner.write('Address begins with', 'R1')
    const matching = 1 + 10 + 100
    await page.getByText(`1 to 30 of ${matching}`).waitFor()
    const chooseAll = async () => {
      await owner.tick('Choose all on this page')
      await owner.press(`Choose all ${matching} that match`)
      await page.getByText(`All ${matching} that match are chosen`).waitFor()
    }
    await chooseAll()
    await owner.press('Add tags')
    await owner.write('Tags', 'one, two')
    await owner.press(`Tag ${matching}`)
    await page.getByText(`Done for ${matching}.`).waitFor()
    expect((await api.get('/contacts?filter[tags]=two&limit=1')).count).toBe(matching)

    const { _id: guests = '' } = await api.post('/subscriber-lists', { name: 'Guests' })
    await page.reload()
    await chooseAll()
    await owner.press('Add to a list')
    await owner.choose('List', 'Guests', 1)
    await owner.press(`Add ${matching}`)
    await expect
      .poll(async () => (await api.get(`/contacts?filter[subscriberListId]=${guests}&limit=1`)).count)
      .toBe(matching)

    await owner.write('Address begins with', 'r10')
    await page.getByText('1 to 11 of 11').waitFor()
    await owner.tick('Choose all on this page')
    await owner.press('Suppress…')
    await owner.write('Reason', 'Asked for it')
    await owner.press('Suppress 11')
    await expect.poll(async () => (await api.get('/suppression-list?limit=1')).count).toBe(11)
  })

  it('sees an import go on after the server was killed, and cancels another', async () => {
    const file = join(journey.directory, 'many.csv')
    // Imported in more time than the page takes to show how far it is.
    const rows = 200_000
    const start = async (domain: string) => {
      writeFileSync(file, `email\n${Array.from({ length: rows }, (_, n) => `p${n}@${domain}`).join('\n')}\n`)
      await page.goto(`${home}/audience/imports`)
      await owner.upload('Choose a CSV file', file)
      await owner.write('How did these people agree to get mail?', 'At the fair')
      await owner.press('Start the import')
      await page.getByRole('heading', { name: 'Running' }).waitFor()
    }
    await start('one.example.net')
    await expect.poll(() => page.getByText(/^[1-9]\d?% of the file/).count()).toBe(1)
    await journey.restart()
    await page.getByRole('heading', { name: 'Done' }).waitFor({ timeout: 240_000 })
    // The page's numbers may differ: the batch that the kill interrupted is repeated, and its rows count as unchanged.
    expect((await api.get('/contacts?limit=1')).count).toBe(rows + readers)
    await start('two.example.net')
    await owner.press('Cancel the import')
    await owner.press('Cancel the import', page.getByRole('dialog'))
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
    expect(Number((await api.get('/contacts?limit=1')).count)).toBeLessThan(2 * rows + readers)
  }, 400_000)
})
