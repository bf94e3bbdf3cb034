import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
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
})
