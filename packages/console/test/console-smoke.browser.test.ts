import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startBuiltServer, stopServer, temporaryDirectory } from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { becomeOwner, mouse } from './hands.js'

describeInBrowser('the console in a browser', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    server = await startBuiltServer(directory.path)
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    directory.remove()
  })

  it('signs its first person in and shows the project, without an error in the page', async () => {
    const page = await browser.newPage({ locale: 'en-GB' })
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      // Chromium reports the 401 before signing in as an error, too.
      if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text())
    })
    const hand = mouse(page)
    await becomeOwner(hand, server)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await hand.follow('Campaigns')
    await page.getByRole('heading', { name: 'No campaign yet' }).waitFor()
    // Of a page that is opened by its address, not from another one.
    await page.reload()
    const create = page.getByRole('button', { name: 'New campaign' }).first()
    expect(await create.evaluate((button) => getComputedStyle(button).borderTopStyle)).not.toBe('outset')
    expect(faults).toEqual([])
  })
})
