import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectOf } from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { type Hand, keyboard, mouse } from './hands.js'
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
  const mail = () => page.frameLocator('iframe').frameLocator('iframe')

  const buildNewsletter = async (by: Hand): Promise<string> => {
    const body = { name: 'Autumn', subject: 'Autumn', timeZone: 'UTC', subscriberListId: api.list, type: 'visual' }
    const id = (await api.post('/campaigns', body))._id ?? ''
    const stored = async () => JSON.stringify((await api.get(`/campaigns/${id}`)).document ?? '')
    await page.goto(page.url().replace(/campaigns.*/, `campaigns/${id}`))
    await by.press('Start empty')

    await by.menu('Insert', 'Image')
    await by.upload('Upload an image', join(journey.directory, 'header.png'))
    await expect.poll(() => page.getByLabel('Image address').inputValue()).toContain('/gallery/')
    await by.write('Alternative text', 'Autumn leaves')

    await by.menu('Insert', 'Text')
    await by.edit('Text', 'Dear ')
    await by.write('If it is empty', 'reader')
    await by.choose('Merge tag', 'contact.name')
    await by.append('Text', ', this is new in autumn.')
    await mail().getByText('Dear reader, this is new in autumn.').waitFor()

    await by.select(/^Section/)
    await by.menu('Insert', 'Section with 2 columns')
    for (const content of ['Bulbs to plant before the first frost.', 'Walks along the river on Sundays at ten.']) {
      await by.select(/^Text: Write your text here.$/)
      await by.edit('Text', content)
    }
    await by.menu('Insert', 'Button')
    await by.write('Label', 'To the shop of your city')
    await by.write('Link', 'https://shop.example.com/city')
    await by.menu('More actions on Button: To the shop of your city', 'Show only if…')
    await by.choose('Field', 'contact.city')
    await by.choose('Comparison', 'equals')
    await by.write('Value', 'Hamburg')
    await by.menu('More actions on If contact.city equals Hamburg', 'Add “otherwise”')
    await by.menu('Insert', 'Button')
    await by.write('Label', 'To the shop')
    await by.write('Link', 'https://shop.example.com/')
    await mail().getByText('To the shop', { exact: true }).waitFor()

    await by.select('Body')
    await by.menu('Insert', 'Section with one column')
    await by.select(/^Text: Write your text here.$/)
    await by.edit('Text', 'Unsubscribe')
    await page.keyboard.press('ControlOrMeta+a')
    await by.press('Link on the selected text')
    await by.write('Link', '{{unsubscribeLink}}')
    await by.press('Apply')
    await expect.poll(stored).toContain('{{unsubscribeLink}}')
    return id
  }

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
    await api.post('/contacts/fields', { name: 'city', type: 'string' })
    outline = page.getByRole('treegrid', { name: 'Outline' })
    const picture = await browser.newPage({ viewport: { width: 600, height: 160 } })
    await picture.setContent('<body style="margin:0;background:linear-gradient(90deg,#0b5d66,#c2410c)"></body>')
    writeFileSync(join(journey.directory, 'header.png'), await picture.screenshot())
    await picture.close()
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
    campaign = await buildNewsletter(hand)
    const document = await documentOf()
    const text = JSON.stringify(document)
    expect(text).toContain('Dear {{DEFAULT contact.name \\"reader\\"}}, this is new in autumn.')
    expect(text).toMatch(
      /\{\{#if \(EQ contact\.city \\"Hamburg\\"\)\}\}.*To the shop of your city.*\{\{else\}\}.*To the shop.*\{\{\/if\}\}/,
    )
    expect(text).toContain('<a href=\\"{{unsubscribeLink}}\\">Unsubscribe</a>')
    expect(tagsIn(document).filter((tag) => tag === 'mj-column')).toHaveLength(4)
  })

  it('makes the same newsletter by keyboard alone', async () => {
    const byMouse = await documentOf()
    campaign = await buildNewsletter(keyboard(page))
    const withoutImage = (document: Node) => JSON.stringify(document).replace(/[^"]*\/gallery\/[^"]*/, 'image')
    expect(withoutImage(await documentOf())).toBe(withoutImage(byMouse))
  }, 240_000)

  it('undoes and redoes by keyboard, moves and removes', async () => {
    const before = await documentOf()
    await hand.select(/^Image/)
    await hand.press('Remove')
    await expect.poll(async () => tagsIn(await documentOf())).not.toContain('mj-image')
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(documentOf).toEqual(before)
    await page.keyboard.press('ControlOrMeta+Shift+z')
    await expect.poll(async () => tagsIn(await documentOf())).not.toContain('mj-image')
    await page.keyboard.press('ControlOrMeta+z')
    await hand.select(/^Image/)
    await hand.press('Duplicate')
    await hand.press('Move up')
    await hand.press('Remove')
    await expect.poll(documentOf).toEqual(before)
  })

  it('moves what is dragged, by pointer and by keyboard', async () => {
    const before = await documentOf()
    const image = outline.getByRole('row', { name: /^Image/ })
    const text = outline.getByRole('row', { name: /^Text: Dear/ })
    const kinds = async () => tagsIn(await documentOf()).slice(4, 6)
    expect(await kinds()).toEqual(['mj-image', 'mj-text'])
    await text.dragTo(image, { targetPosition: { x: 60, y: 1 } })
    await expect.poll(kinds).toEqual(['mj-text', 'mj-image'])
    await keyboard(page).select(/^Text: Dear/)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    const target = page.getByRole('button', { name: 'Insert after Image: Autumn leaves' })
    await target.waitFor()
    while ((await target.and(page.locator(':focus')).count()) === 0) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(documentOf).toEqual(before)
  })

  it('shows a network’s icon, which this server has', async () => {
    await hand.select('Body')
    await hand.menu('Insert', 'Social links')
    await hand.select(/^Social link: Facebook$/)
    await hand.choose(/Network/, 'YouTube')
    const icon = mail().getByAltText('YouTube')
    await expect.poll(() => icon.evaluate((image) => Reflect.get(image, 'naturalWidth') as unknown)).toBe(72)
    expect(await icon.getAttribute('src')).toMatch(/^http:\/\/localhost:\d+\/gallery\/icons\/youtube\.png$/)
  })

  it('shows its panes one by one where the page is narrow', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const pane of ['Outline', 'Properties', 'Preview']) {
      await hand.pick(pane)
      await page.getByRole('region', { name: pane }).waitFor()
      await page.getByRole('region', { name: pane }).scrollIntoViewIfNeeded()
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `pane-${pane}.png`) })
    }
    await mail().getByText('Bulbs to plant').waitFor()
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
