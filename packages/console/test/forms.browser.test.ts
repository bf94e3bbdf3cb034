import type { Browser, BrowserContext, Page } from 'playwright-core'
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

const visitor = 'grace@example.com'

describeInBrowser('signup forms in the console', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let hand: Hand

  beforeAll(async () => {
    server = await startBuiltServer(directory.path)
    browser = await aBrowser()
    context = await browser.newContext({ locale: 'en-GB', permissions: ['clipboard-read', 'clipboard-write'] })
    page = await context.newPage()
    hand = mouse(page)
    await becomeOwner(hand, server)
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    directory.remove()
  })

  const isSaved = () =>
    page
      .getByRole('status')
      .filter({ hasText: /^Saved/ })
      .first()
      .waitFor()
  const preview = () => page.frameLocator('main iframe').frameLocator('iframe')
  const forms = async () => (await projectOf(server).get('/signup-forms')).items as unknown as Record<string, unknown>[]

  it('builds a form, saved as it is typed, and shows what visitors will see', async () => {
    await hand.follow('Audience')
    await hand.follow('Forms')
    await hand.press('New form')
    await hand.write('Name', 'Letters from the shop')
    await hand.press('Create')
    await page.getByRole('heading', { name: 'Letters from the shop', level: 1 }).waitFor()
    await page.locator('fieldset').filter({ hasText: 'Subscribes to' }).locator('label').first().click()
    await page.locator('li').filter({ hasText: 'Name' }).locator('label').first().click()
    await hand.write('Label of name', 'What may we call you?')
    await hand.write('Button', 'Join us')
    await isSaved()
    await preview().getByRole('button', { name: 'Join us' }).waitFor()
    await preview().getByLabel('What may we call you?').waitFor()
    await hand.choose('Language', 'Deutsch')
    await preview().getByLabel('Ihre E-Mail-Adresse').waitFor()
    await expect.poll(async () => (await forms())[0]?.btnLabel).toBe('Join us')
  })

  it('says what is wrong beside the field, and keeps it', async () => {
    await hand.write('Colour of the button', 'url(evil)')
    await page.getByText('Enter a CSS colour').first().waitFor()
    await hand.write('Colour of the button', '#7a1f5c')
    await isSaved()
    await expect.poll(async () => (await forms())[0]?.btnColor).toBe('#7a1f5c')
  })

  it('lets visitors confirm by a mail in their language', async () => {
    await hand.tick('New subscribers must confirm by mail')
    await hand.press('Write a confirmation mail')
    await hand.choose('Language', 'Polski', 1)
    await hand.press('Create')
    await isSaved()
    await hand.choose('Page', 'Confirmation mail')
    await preview().getByRole('link', { name: 'Potwierdzam' }).waitFor()
    await hand.choose('Page', 'After confirming')
    await preview().getByRole('heading', { name: 'Ihre Anmeldung ist bestätigt' }).waitFor()
  })

  it('gives code for websites', async () => {
    await hand.press('Add to a website')
    await page.getByRole('dialog').locator('pre').filter({ hasText: 'data-ph="form"' }).waitFor()
    await page.getByRole('dialog').getByText('Plain HTML').click()
    await hand.press('Copy')
    const plain = await page.evaluate(() => navigator.clipboard.readText())
    expect(plain).toMatch(/^<form action="http.+\/forms\/\w+" method="post">/)
    await hand.press('Close')
  })

  it('subscribes a visitor on the form’s own page, who confirms and is a contact', async () => {
    const opened = context.waitForEvent('page')
    await hand.follow('Open its page')
    const form = await opened
    const faults: string[] = []
    form.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    await form.reload()
    await form.getByLabel('Your email address').fill(visitor)
    await form.getByLabel('What may we call you?').fill('Grace')
    await form.getByRole('button', { name: 'Join us' }).click()
    await form.getByText('Please confirm: open the mail').waitFor()
    expect(faults).toEqual([])
    await until(async () => (await readMails(directory.path)).some(({ to }) => to?.[0]?.address === visitor))
    const mail = (await readMails(directory.path)).find(({ to }) => to?.[0]?.address === visitor)
    expect(mail?.subject).toBe('Proszę potwierdzić zapis')
    const [link = ''] = /https?:\S+\/v1\/verify\?token=[\w.-]+/.exec(mail?.text ?? '') ?? []
    await form.goto(link)
    await form.getByRole('heading', { name: 'Your subscription is confirmed' }).waitFor()
    await form.close()
    await hand.follow('Contacts')
    await page.getByRole('link', { name: 'Grace' }).click()
    await page.getByText(visitor).first().waitFor()
    await hand.follow('Forms')
    await page
      .getByRole('row', { name: /Letters from the shop/ })
      .getByText('1 active')
      .waitFor()
  })

  it('deletes a form, whose page is gone with it', async () => {
    const _id = String((await forms())[0]?._id)
    expect((await fetch(`${server.base}/forms/${_id}`)).status).toBe(200)
    await hand.actOn('Letters from the shop', 'Delete…')
    await hand.write('Type Letters from the shop', 'Letters from the shop')
    await hand.press('Delete', page.getByRole('dialog'))
    await page.getByRole('heading', { name: 'No forms yet' }).waitFor()
    expect(await forms()).toEqual([])
    expect((await fetch(`${server.base}/forms/${_id}`)).status).toBe(404)
  })
})
