import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectOf } from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { type Hand, mouse } from './hands.js'
import { aJourney, aPage, createOwner, type Journey } from './journey-steps.js'

const consent = 'Signed up at the fair'
const bounced = 'gone1@example.net'

/** A line that no import takes, one whose mailbox does not exist, and two others. */
const people = [
  'Email address;Full name;Shoe size',
  'ada@example.net;Ada Lovelace;38',
  'nowhere;"Nobody; at all";1',
  `${bounced};Grace Hopper;39`,
  'alan@example.net;Alan Turing;43',
]

describeInBrowser('somebody who keeps an audience', () => {
  let browser: Browser
  let journey: Journey
  let owner: Hand
  let page: Page
  let api: ReturnType<typeof projectOf>
  let home = ''

  const fileOf = (name: string, content: string | Buffer): string => {
    const file = join(journey.directory, name)
    writeFileSync(file, content)
    return file
  }
  const fieldOf = (column: string) =>
    page.getByRole('button', { name: `Field of the column ${column}` }).and(page.locator('[aria-haspopup=listbox]'))
  const upload = async (file: string) => {
    await page.goto(`${home}/audience/imports`)
    await owner.upload('Choose a CSV file', file)
    await page.getByRole('heading', { name: 'Columns of the file' }).waitFor()
  }

  beforeAll(async () => {
    browser = await aBrowser()
    journey = await aJourney()
    page = await aPage(browser)
    owner = mouse(page)
    await createOwner(owner, journey)
    api = projectOf(journey.server)
    home = page.url().replace(/\/home.*/, '')
  })
  afterAll(async () => {
    await browser?.close()
    await journey?.close()
  })

  it('is told at once that a spreadsheet is no CSV file', async () => {
    await page.goto(`${home}/audience/imports`)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.method()))
    await owner.upload(
      'Choose a CSV file',
      fileOf('people.csv', Buffer.from('504b03041400060008000000210062ee', 'hex')),
    )
    await page.getByText('save it as CSV (UTF-8), and choose that file').waitFor()
    expect(requests).not.toContain('POST')
    page.removeAllListeners('request')
  })

  it('finds the columns of a file again after leaving, and after choosing the file again', async () => {
    const file = fileOf('people.csv', people.join('\n'))
    await upload(file)
    await expect.poll(() => fieldOf('Email address').innerText()).toContain('Email')
    await owner.choose('Field of the column Full name', 'Name')
    await owner.choose('Field of the column Shoe size', 'Ignore')
    await owner.write('How did these people agree to get mail?', consent)
    await owner.follow('Imports')
    await page.getByRole('link', { name: 'people.csv' }).click()
    await expect.poll(() => fieldOf('Full name').innerText()).toContain('Name')
    expect(await fieldOf('Shoe size').innerText()).toContain('Ignore')
    expect(await page.getByLabel('How did these people agree').inputValue()).toBe(consent)

    await upload(file)
    await expect.poll(() => fieldOf('Shoe size').innerText()).toContain('Ignore')
    expect(await page.getByLabel('How did these people agree').inputValue()).toBe('')
  })

  it('imports into a list that is made on the way, and sees the rows that failed', async () => {
    await owner.choose('List', 'New list…')
    await owner.write('Name', 'Fair')
    await owner.press('Create')
    await expect
      .poll(() =>
        page
          .getByRole('button', { name: /^Fair List$|List/ })
          .filter({ hasText: 'Fair' })
          .count(),
      )
      .toBe(1)
    await owner.write('How did these people agree to get mail?', consent)
    await owner.press('Start the import')
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    const failed = page.getByRole('table', { name: 'Failed rows' })
    await failed.getByRole('row', { name: /3.*Invalid email format.*nowhere · Nobody; at all · 1/ }).waitFor()
    const download = page.waitForEvent('download')
    await owner.follow(/Download the failed rows/)
    expect(readFileSync(await (await download).path(), 'utf8')).toBe(
      'line,reason,Email address,Full name,Shoe size\n3,Invalid email format,nowhere,"Nobody; at all",1\n',
    )
    await owner.follow('Show the contacts')
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    expect((await api.get('/contacts')).count).toBe(3)
  })

  it('finds contacts by the beginning of an address while typing, and by a part of a name', async () => {
    await page.goto(`${home}/audience/contacts`)
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor()
    await owner.write('Address begins with', 'ALAN@')
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Alan Turing' }).waitFor()
    expect(new URL(page.url()).searchParams.get('find')).toBe('ALAN@')
    await owner.write('Address begins with', 'hopp')
    await owner.press('Search names for “hopp”')
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor()
    await owner.write('Address begins with', 'ada love')
    await page.getByLabel('Address begins with').press('Enter')
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor({ state: 'detached' })
  })

  it('still sees after a bounce how the person came, and which mail was a test', async () => {
    const { items } = await api.get('/subscriber-lists?filter[name]=Fair')
    const { _id = '' } = await api.post('/campaigns', {
      ...{ name: 'Autumn', subject: 'Autumn', type: 'text', document: 'Hello', timeZone: 'UTC' },
      subscriberListId: items[0]?._id,
    })
    await api.post(`/test-email/${_id}`, { type: 'campaign', email: 'ada@example.net' })
    await api.patch(`/campaigns/${_id}`, { status: 'scheduled', scheduledTo: new Date(Date.now() - 1_000) })
    await expect.poll(async () => (await api.get(`/campaigns/${_id}`)).status, { timeout: 60_000 }).toBe('sent')
    await expect.poll(async () => (await api.get('/suppression-list')).count).toBe(1)
    await page.goto(`${home}/audience/contacts/${bounced}`)
    await page.getByText('Taken off the list after a bounce: Fair').waitFor()
    await page.getByText('Imported from people.csv').first().waitFor()
    await page.getByText('Taken off after a bounce', { exact: true }).waitFor()
    await page.goto(`${home}/audience/contacts/ada@example.net`)
    await page.getByText('Sent as a test: Autumn').waitFor()
    await page.getByText('Sent: Autumn').waitFor()

    await page.goto(`${home}/campaigns/${_id}`)
    const mails = page.getByRole('region', { name: 'Mails prepared' })
    expect((await mails.innerText()).replace(/\s+/g, ' ')).toMatch(/^3 mails prepared = 2 sent \+ 1 failed/)
    await mails.getByText('those who are left out included').waitFor()
  })
})
