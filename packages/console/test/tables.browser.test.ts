import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
  readMails,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { becomeOwner, type Hand, mouse } from './hands.js'

describeInBrowser('tables of the console', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let browser: Browser
  let page: Page
  let hand: Hand

  beforeAll(async () => {
    server = await startBuiltServer(directory.path)
    const { list, post } = projectOf(server)
    const mail = { subject: 's', type: 'text', document: 'd', timeZone: 'UTC', subscriberListId: list }
    for (let at = 0; at < 42; at += 1) await post('/campaigns', { ...mail, name: at === 7 ? '=1+1' : `Letter ${at}` })
    browser = await aBrowser()
    page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    hand = mouse(page)
    await becomeOwner(hand, server)
    await hand.follow('Campaigns')
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    directory.remove()
  })

  const dialog = () => page.getByRole('dialog')
  const submit = async (button: string) => {
    await hand.press(button, dialog())
    await dialog().waitFor({ state: 'detached' })
  }
  const add = async (button: string, label: string, name: string) => {
    await hand.press(button)
    await hand.write(label, name)
  }
  const remove = async (name: string) => {
    await hand.write(`Type ${name}`, name)
    await submit('Delete')
  }
  const open = async (tab: string) => {
    await hand.follow(tab)
    await page.getByRole('heading', { name: tab, level: 1 }).waitFor()
  }
  const range = (count: number) => page.getByText(`1 to 10 of ${count}`)
  const saved = async () => {
    await page.getByRole('button', { name: /^Table menu/ }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /^Save as CSV/ }).click()
    return readFileSync(await (await download).path(), 'utf8')
      .replace('\ufeff', '')
      .trim()
      .split('\n')
  }

  it('are saved as CSV with the rows of all pages and no formula', async () => {
    const lines = await saved()
    expect(lines).toHaveLength(43)
    expect(lines[0]).toMatch(/^Campaign,List,Status,Time/)
    expect(lines.find((line) => line.includes('1+1'))).toMatch(/^'=1\+1,/)
  })

  it('are saved as they are filtered, and their filters as a view', async () => {
    await page.getByPlaceholder('Part of the name').fill('Letter 1')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(10)
    await range(11).waitFor()
    expect(await saved()).toHaveLength(12)
    await hand.press('Save this view')
    await hand.write('Name', 'Letters of ten')
    await hand.press('Save')
    await page.getByRole('link', { name: 'Letters of ten' }).waitFor()
    await page.getByPlaceholder('Part of the name').fill('')
    await range(42).waitFor()
    await page.reload()
    await hand.follow('Letters of ten')
    await range(11).waitFor()
    expect(await page.getByPlaceholder('Part of the name').inputValue()).toBe('Letter 1')
    await hand.actOn('Letters of ten', 'Rename the view')
    await hand.write('Name', 'Tens')
    await hand.press('Save')
    await hand.actOn('Tens', 'Delete')
    await page.getByRole('link', { name: 'Tens' }).waitFor({ state: 'detached' })
  })

  it('of a report are whole on paper, without what only a screen can do, also for somebody who likes it dark', async () => {
    const { list, post, patch, get } = projectOf(server)
    const mail = { subject: 's', type: 'text', document: 'd', timeZone: 'UTC', subscriberListId: list }
    const { _id } = await post('/campaigns', { ...mail, name: 'Printed' })
    await post(`/subscriber-lists/${list}/subscribers`, { email: 'ada@example.com' })
    await patch(`/campaigns/${_id}`, { status: 'scheduled', scheduledTo: new Date().toISOString() })
    await until(async () => (await get(`/campaigns/${_id}`)).status === 'sent')
    await page.evaluate(() => localStorage.setItem('posthorn-theme', 'dark'))
    await page.goto(page.url().replace(/(\/console\/\w+).*/, `$1/campaigns/${_id}?part=sent`))
    await page.locator('tbody tr').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    const shown = await page.evaluate(() => ({
      navigations: [...document.querySelectorAll('nav')].filter((one) => one.checkVisibility()).length,
      buttons: [...document.querySelectorAll('button')].filter((one) => one.checkVisibility() && !one.closest('th'))
        .length,
      headings: [...document.querySelectorAll('th')].filter((one) => one.checkVisibility()).length > 0,
      paper: getComputedStyle(document.body).backgroundColor,
    }))
    expect(shown).toEqual({ navigations: 0, buttons: 0, headings: true, paper: 'rgb(255, 255, 255)' })
    const file = await page.pdf({ preferCSSPageSize: true, printBackground: true })
    expect(file.toString('latin1')).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12]/)
    if (process.env.SHOTS) {
      writeFileSync(`${process.env.SHOTS}/report.pdf`, file)
      await page.setViewportSize({ width: 688, height: 1017 })
      await page.screenshot({ path: `${process.env.SHOTS}/report-on-paper.png`, fullPage: true })
    }
  })

  it('change what a contact is on a list, and the name of a tag', async () => {
    const { list, post, get } = projectOf(server)
    await post('/contacts/tags', { value: 'reader' })
    await post(`/subscriber-lists/${list}/subscribers`, { email: 'grace@example.com', tags: ['reader'] })
    const statusOf = async () => (await get(`/subscriber-lists/${list}/subscribers/grace@example.com`)).status
    await page.emulateMedia({ media: null })
    await page.goto(new URL('/console/', page.url()).href)
    await hand.follow('Audience')
    await hand.follow('grace@example.com')
    await page.getByRole('heading', { name: 'grace@example.com', level: 1 }).waitFor()
    const act = async (entry: string) => {
      await page
        .locator('main')
        .getByRole('button', { name: /^Actions on/ })
        .click()
      await page.getByRole('menuitem', { name: entry }).click()
    }
    await act('Pause for 30 days')
    await page
      .getByText(/^Paused until/)
      .first()
      .waitFor()
    expect(await statusOf()).toBe('paused')
    await act('End the pause')
    await until(async () => (await statusOf()) === 'active')
    await page.locator('main').getByText('Active', { exact: true }).first().waitFor()
    await act('Unsubscribe from this list')
    await until(async () => (await statusOf()) === 'unsubscribed')
    await expect
      .poll(() =>
        page
          .locator('main')
          .getByRole('button', { name: /^Actions on/ })
          .count(),
      )
      .toBe(0)

    await hand.follow('Fields and tags')
    await hand.actOn('reader', 'Rename…')
    await hand.write('Tag', 'bookworm')
    await hand.press('Save', page.getByRole('dialog'))
    await page.getByRole('row', { name: /^bookworm/ }).waitFor()
    await until(async () => JSON.stringify(await get('/contacts/grace@example.com')).includes('bookworm'))
  })

  it('add lists, fields of all types and a tag, whatever their names', async () => {
    const { get, post } = projectOf(server)
    const { _id: emailId } = await post('/transactional-emails', {
      ...{ name: 'Please confirm', subject: 'Confirm', type: 'html', document: '<a href="{{verifyLink}}">Yes</a>' },
    })
    await open('Lists')
    await add('New list', 'Name', '=Readers & <b>friends</b>')
    await submit('Create')
    await hand.actOn('=Readers & <b>friends</b>', 'Edit')
    await hand.write('Name', 'Friends & “readers”')
    await hand.write('Description', 'Line one\nline two')
    await hand.tick('New subscribers must confirm by mail')
    await dialog().getByText('Choose the mail, or write one.').waitFor()
    expect(await dialog().getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await hand.choose(/Mail with the link/, 'Please confirm')
    await hand.tick(/^Private/)
    await submit('Save')
    await page.getByRole('link', { name: 'Friends & “readers”' }).waitFor()
    const lists = (await get('/subscriber-lists')).items as unknown as readonly Record<string, unknown>[]
    expect(lists.find(({ name }) => name === 'Friends & “readers”')).toMatchObject({
      ...{ description: 'Line one\nline two', private: true, doubleOptIn: { active: true, emailId } },
    })

    await open('Fields and tags')
    for (const [name, type] of [
      ['city', 'Text'],
      ['orders', 'Number'],
      ['member', 'Yes or no'],
      ['since', 'Date'],
    ] as const) {
      await add('New field', 'Name', name)
      await hand.choose('Type', type)
      await submit('Create')
    }
    await add('New field', 'Name', 'email')
    await hand.press('Create', dialog())
    await dialog().locator('[aria-invalid=true]').waitFor()
    await hand.press('Cancel')
    await add('New tag', 'Tag', 'a, b')
    await submit('Create')
    const fields = (await get('/contacts/fields')).items.map(({ name, type }) => `${name} ${type}`)
    expect(fields.sort()).toEqual(['city string', 'member boolean', 'orders number', 'since date'])
    expect((await get('/contacts/tags')).items.map(({ value }) => String(value)).sort()).toEqual(['a, b', 'bookworm'])
  })

  it('add contacts, on a list and on none, whose confirmation mail is sent again', async () => {
    const { get, patch } = projectOf(server)
    await open('Contacts')
    await add('New contact', 'Email', 'ada@nowhere')
    await hand.press('Create', dialog())
    await dialog().getByRole('alert').waitFor()
    await hand.write('Email', ' Ada.Lovelace+news@Example.com ')
    await hand.write('Name', '<b>Ada</b> {{contact.email}}')
    await hand.write('Tags', 'first, , first,second')
    await submit('Create')
    expect(await get('/contacts/ada.lovelace+news@example.com')).toMatchObject({
      ...{ name: '<b>Ada</b> {{contact.email}}', tags: ['first', 'second'], _lists: [] },
    })
    await add('New contact', 'Email', 'benedikt@example.com')
    await hand.choose('List', 'Friends & “readers”', 1)
    await submit('Create')
    await hand.follow('benedikt@example.com')
    await page.getByText('Not confirmed').first().waitFor()
    const sentTo = async (address: string) =>
      (await readMails(directory.path)).filter(({ to }) => to?.[0]?.address === address).length
    await hand.actOn('Friends & “readers”', 'Send the confirmation mail again')
    await page.getByText('has had a confirmation mail within ten minutes').waitFor()
    await patch('/contacts/benedikt@example.com', { email: 'benedict@example.com' })
    await open('Contacts')
    await page.reload()
    await hand.follow('benedict@example.com')
    await page.getByText('Not confirmed').first().waitFor()
    await hand.actOn('Friends & “readers”', 'Send the confirmation mail again')
    await page.getByText('The confirmation mail is on its way').waitFor()
    await expect.poll(() => sentTo('benedict@example.com')).toBe(1)
    expect(await sentTo('benedikt@example.com')).toBe(1)
  })

  it('change all fields of a contact, and its address', async () => {
    const { get } = projectOf(server)
    await open('Contacts')
    await hand.follow('<b>Ada</b> {{contact.email}}')
    await hand.press('Edit')
    await hand.write('Email', 'countess@example.com')
    await hand.write('Name', '=HYPERLINK("https://evil.example")')
    await hand.write('Tags', 'second')
    await hand.write('city', 'Tromsø, “Nord”')
    await hand.write('orders', '-12.5')
    await hand.write('since', '2024-02-29')
    await hand.choose('member', 'No')
    await submit('Save')
    await page.getByRole('heading', { name: '=HYPERLINK("https://evil.example")', level: 1 }).waitFor()
    await expect.poll(() => page.url()).toMatch(/contacts\/countess(@|%40)example\.com$/)
    expect(await get('/contacts/countess@example.com')).toMatchObject({
      ...{ name: '=HYPERLINK("https://evil.example")', tags: ['second'], city: 'Tromsø, “Nord”', orders: -12.5 },
      ...{ member: false, since: expect.stringMatching(/^2024-02-29/) },
    })
    await expect(get('/contacts/ada.lovelace+news@example.com')).rejects.toThrow(/not found/i)
  })

  it('export contacts without formulas, and delete one by its address', async () => {
    await open('Contacts')
    const download = page.waitForEvent('download')
    await hand.follow('Export')
    const file = readFileSync(await (await download).path(), 'utf8')
    expect(file).toContain('countess@example.com')
    expect(file).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
    await hand.follow('=HYPERLINK("https://evil.example")')
    await hand.press('Delete…')
    await remove('countess@example.com')
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
    await expect(projectOf(server).get('/contacts/countess@example.com')).rejects.toThrow(/not found/i)
  })

  it('delete lists, fields, tags, segments and campaigns by name, and say what is in use', async () => {
    const { get, post, list } = projectOf(server)
    const names = async (path: string) => (await get(`${path}?limit=100`)).items.map(({ name }) => name)
    await open('Fields and tags')
    await hand.actOn('city', 'Delete…')
    await remove('city')
    await hand.actOn('a, b', 'Delete…')
    await remove('a, b')
    expect((await names('/contacts/fields')).includes('city')).toBe(false)
    expect(JSON.stringify(await get('/contacts/tags'))).not.toContain('a, b')

    const mail = { subject: 's', type: 'text', document: 'd', timeZone: 'UTC', subscriberListId: list }
    const groups = [{ conditions: [{ operator: 'has-tag', value: 'bookworm' }] }]
    const { _id: segmentId = '' } = await post('/segments', { name: 'Used', groups })
    await post('/campaigns', { ...mail, name: 'To a segment', segmentId })
    await open('Segments')
    await hand.follow('Used')
    await hand.press('Delete…')
    await hand.write('Type Used', 'Used')
    await hand.press('Delete', dialog())
    await dialog()
      .getByRole('alert')
      .getByText(/in use/)
      .waitFor()
    await hand.press('Cancel')
    await hand.follow('Campaigns')
    await hand.actOn('To a segment', 'Delete…')
    await remove('To a segment')
    expect(await names('/campaigns')).not.toContain('To a segment')
    await hand.follow('Audience')
    await open('Segments')
    await hand.follow('Used')
    await hand.press('Delete…')
    await remove('Used')
    await page.getByRole('heading', { name: 'Segments', level: 1 }).waitFor()
    expect(await names('/segments')).toEqual([])

    await open('Lists')
    await hand.actOn('Friends & “readers”', 'Delete…')
    await remove('Friends & “readers”')
    expect(await names('/subscriber-lists')).not.toContain('Friends & “readers”')
    await expect(get('/contacts/benedict@example.com')).resolves.toMatchObject({ _lists: [] })
  })
})
