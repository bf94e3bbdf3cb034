import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectOf } from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { type Hand, mouse } from './hands.js'
import { aJourney, aPage, createOwner, type Journey } from './journey-steps.js'

type Node = { readonly tagName: string; readonly children?: readonly Node[]; readonly content?: string }

const tagsIn = ({ tagName, children = [] }: Node): readonly string[] => [tagName, ...children.flatMap(tagsIn)]

describeInBrowser('the visual editor', () => {
  let browser: Browser
  let journey: Journey
  let hand: Hand
  let page: Page
  let api: ReturnType<typeof projectOf>
  let campaign = ''
  let outline: Locator
  const violations: string[] = []

  const documentOf = async () => (await api.get(`/campaigns/${campaign}`)).document as unknown as Node
  const insert = async (name: string) => {
    await hand.press('Insert')
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const select = (name: string | RegExp) => outline.getByRole('row', { name }).first().click()
  const mail = () => page.frameLocator('iframe').frameLocator('iframe')

  beforeAll(async () => {
    browser = await aBrowser()
    journey = await aJourney()
    page = await aPage(browser)
    await page.setViewportSize({ width: 1440, height: 900 })
    page.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML/i.test(message.text())) violations.push(message.text())
    })
    hand = mouse(page)
    await createOwner(hand, journey)
    api = projectOf(journey.server)
    outline = page.getByRole('treegrid', { name: 'Outline' })
  })
  afterAll(async () => {
    await browser?.close()
    await journey?.close()
  })

  it('begins a new campaign with a newsletter', async () => {
    await hand.press('New campaign')
    await hand.write('Name of the campaign', 'Starter')
    await hand.press('Create')
    await outline.waitFor()
    await mail().getByText('What is new').waitFor()
    // The test's mouse misses what is shown smaller.
    await hand.pick('Narrow')
    await mail().getByText('Read more').click()
    await page.getByRole('heading', { name: 'Button: Read more' }).waitFor()
  })

  it('makes a newsletter of an empty document', async () => {
    const body = { name: 'Autumn', subject: 'Autumn', timeZone: 'UTC', subscriberListId: api.list, type: 'visual' }
    campaign = (await api.post('/campaigns', body))._id ?? ''
    const image = join(journey.directory, 'header.png')
    const picture = await browser.newPage({ viewport: { width: 600, height: 160 } })
    await picture.setContent('<body style="margin:0;background:linear-gradient(90deg,#0b5d66,#c2410c)"></body>')
    writeFileSync(image, await picture.screenshot())
    await picture.close()
    await page.goto(page.url().replace(/campaigns.*/, `campaigns/${campaign}`))
    await hand.press('Start empty')

    await insert('Image')
    await hand.upload('Upload an image', image)
    await expect.poll(() => page.getByLabel('Image address').inputValue()).toContain('/gallery/')
    await hand.write('Alternative text', 'Autumn leaves')

    await insert('Text')
    const text = page.getByRole('textbox', { name: 'Text', exact: true })
    await text.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Dear ')
    await hand.write('If it is empty', 'reader')
    await hand.choose('Merge tag', 'contact.name')
    await page.keyboard.type(', this is new in autumn.')
    await mail().getByText('Dear reader, this is new in autumn.').waitFor()

    await select('Section')
    await insert('Section with 2 columns')
    await insert('Button')
    await hand.write('Label', 'To the shop')
    await hand.write('Link', 'https://shop.example.com/')
    await hand.press('More actions on Button: To the shop')
    await page.getByRole('menuitem', { name: 'Show only if…' }).click()
    await hand.write('Field, such as contact.city', 'contact.email')
    await outline.getByRole('row', { name: 'If contact.email' }).waitFor()

    await select('Body')
    await insert('Section with one column')
    await outline
      .getByRole('row', { name: /^Text: Write your text here/ })
      .last()
      .click()
    await text.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Unsubscribe')
    await page.keyboard.press('ControlOrMeta+a')
    await hand.press('Link on the selected text')
    await page
      .getByRole('toolbar')
      .locator('..')
      .getByLabel('Link', { exact: true })
      .first()
      .fill('{{unsubscribeLink}}')
    await hand.press('Apply')
    await expect
      .poll(async () => JSON.stringify(await documentOf()))
      .toContain('<a href=\\"{{unsubscribeLink}}\\">Unsubscribe</a>')
    const document = await documentOf()
    expect(JSON.stringify(document)).toContain('Dear {{DEFAULT contact.name \\"reader\\"}}, this is new in autumn.')
    expect(JSON.stringify(document)).toMatch(/\{\{#if contact\.email\}\}.*To the shop.*\{\{\/if\}\}/)
    expect(tagsIn(document).filter((tag) => tag === 'mj-column')).toHaveLength(4)
  })

  it('undoes and redoes by keyboard, moves and removes', async () => {
    const before = await documentOf()
    await select(/^Image/)
    await hand.press('Remove')
    await expect.poll(async () => tagsIn(await documentOf())).not.toContain('mj-image')
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(documentOf).toEqual(before)
    await page.keyboard.press('ControlOrMeta+Shift+z')
    await expect.poll(async () => tagsIn(await documentOf())).not.toContain('mj-image')
    await page.keyboard.press('ControlOrMeta+z')
    await select(/^Image/)
    await hand.press('Duplicate')
    await hand.press('Move up')
    await hand.press('Remove')
    await expect.poll(documentOf).toEqual(before)
  })

  it('shows its panes one by one where the page is narrow', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const pane of ['Outline', 'Properties', 'Preview']) {
      await hand.pick(pane)
      await page.getByRole('region', { name: pane }).waitFor()
      await page.getByRole('region', { name: pane }).scrollIntoViewIfNeeded()
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `pane-${pane}.png`) })
    }
    await mail().getByText('Write your text here.').first().waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('sends what was seen', async () => {
    await hand.press(/^Test/)
    await hand.write('Addresses', 'olga@example.com')
    await hand.press('Send 1 test')
    await expect.poll(() => journey.relay.received.length).toBe(1)
    const { html = '' } = await PostalMime.parse(journey.relay.received[0]?.text ?? '')
    expect(html).toContain('To the shop')
    expect(html).not.toContain('posthorn-element')
    const { SHOTS } = process.env
    const looks = { wide: [1280, 'light'], narrow: [390, 'light'], dark: [1280, 'dark'] } as const
    for (const [name, [width, colorScheme]] of Object.entries(looks)) {
      const reader = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
      await reader.setContent(html, { waitUntil: 'load' })
      const sideways = await reader.evaluate('document.documentElement.scrollWidth > innerWidth')
      expect({ name, sideways }).toEqual({ name, sideways: false })
      await reader.getByText('To the shop').waitFor()
      if (SHOTS) await reader.screenshot({ path: join(SHOTS, `received-${name}.png`), fullPage: true })
      await reader.close()
    }
  })

  it('breaks no rule of the page’s policy', () => {
    expect(violations).toEqual([])
  })
})
