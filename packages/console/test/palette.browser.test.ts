import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { becomeOwner, mouse } from './hands.js'

describeInBrowser('the palette, by keyboard only', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    server = await startBuiltServer(directory.path)
    const { list, post } = projectOf(server)
    for (const email of ['jonas.rieck@hafenpost.example', 'jonna@elbpost.example'])
      await post(`/subscriber-lists/${list}/subscribers`, { email })
    await post('/subscriber-lists', { name: 'Große Übersicht' })
    browser = await aBrowser()
    page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    const hand = mouse(page)
    await becomeOwner(hand, server)
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    directory.remove()
  })

  const type = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Find or go to' }).waitFor()
    await page.keyboard.type(text)
  }
  const focused = (name: string | RegExp) =>
    page.locator('[role=option][data-focused]').filter({ hasText: name }).waitFor()

  it('explains an address that begins with the text', async () => {
    await type('jonn')
    await focused(/jonna/)
    expect(await page.getByRole('option', { name: /jonas/ }).count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.getByText('jonna@elbpost.example').first().waitFor()
    expect(new URL(page.url()).searchParams.get('address')).toBe('jonna@elbpost.example')
  })

  it('explains an address that is no contact’s', async () => {
    await type('nobody@hafenpost.example')
    await focused(/Explain.*nobody@hafenpost/)
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('address')).toBe('nobody@hafenpost.example')
  })

  it('finds a list by a part of its name, whatever the accents', async () => {
    await type('ubersicht')
    await focused('Große Übersicht')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('/audience/contacts?list=')
  })

  it('goes to a page, and begins something', async () => {
    await type('audit')
    await focused('Audit log')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
    await type('new')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.type(' segm')
    await focused('New segment')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('heading', { name: 'New segment' }).waitFor()
  })

  it('stays closed while a dialog is open, and closes by Escape', async () => {
    await page.keyboard.press('Control+k')
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await type('zzzz')
    await page.getByText('Nothing has such a name.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})
