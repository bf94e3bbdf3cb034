import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleImages } from '../../../tests/corpora/images.js'
import {
  projectOf,
  type RunningServer,
  readMails,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { becomeOwner, type Hand, mouse } from './hands.js'

describeInBrowser('gallery, templates and automatic mail in the console', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let browser: Browser
  let page: Page
  let hand: Hand

  beforeAll(async () => {
    server = await startBuiltServer(directory.path)
    browser = await aBrowser()
    const context = await browser.newContext({ locale: 'en-GB', permissions: ['clipboard-read', 'clipboard-write'] })
    page = await context.newPage()
    hand = mouse(page)
    await becomeOwner(hand, server)
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    directory.remove()
  })

  const item = (name: string) => page.locator('main').getByRole('row', { name })
  const titled = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const saved = () => page.getByText(/^Saved \d/).waitFor()
  const api = () => projectOf(server)
  const namesIn = async (path: string) => (await api().get(path)).items.map(({ name }) => name)
  const rename = async (label: string, from: string, to: string) => {
    await hand.actOn(from, 'Rename…')
    await hand.write(label, to)
    await hand.press('Save', page.getByRole('dialog'))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const remove = async (name: string) => {
    await hand.actOn(name, 'Delete…')
    await hand.write(`Type ${name}`, name)
    await hand.press('Delete', page.getByRole('dialog'))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const subjects = async () => (await readMails(directory.path)).map(({ subject }) => subject)

  it('uploads images, says which file is refused and why, and moves one into a folder', async () => {
    await hand.follow('Templates')
    await hand.follow('Gallery')
    await page.getByRole('heading', { name: 'No image here yet' }).waitFor()
    const files = [
      { name: 'lamp.png', bytes: sampleImages['image/png'] },
      { name: 'cover.gif', bytes: sampleImages['image/gif'] },
      { name: 'letter.png', bytes: new TextEncoder().encode('No image at all') },
    ].map(({ name, bytes }) => {
      const path = join(directory.path, name)
      writeFileSync(path, bytes)
      return path
    })
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload images' }).first().click()
    await (await chooser).setFiles(files)
    await page.getByText('letter.png was not uploaded', { exact: false }).waitFor()
    await item('lamp.png').waitFor()
    await item('cover.gif').waitFor()

    await hand.press('New folder')
    await hand.write('Name', 'Covers')
    await hand.press('Create')
    await item('Covers').waitFor()
    await page.getByRole('button', { name: 'Actions on cover.gif' }).click()
    await page.getByRole('menuitem', { name: 'Move…' }).click()
    await page.getByRole('dialog').getByRole('row', { name: 'Covers' }).click()
    await hand.press('Move to Covers')
    await expect.poll(() => item('cover.gif').count()).toBe(0)
  })

  it('moves an image by dragging it on a folder, and copies its URL', async () => {
    await item('lamp.png').dragTo(item('Covers'))
    await expect.poll(() => item('lamp.png').count()).toBe(0)
    await item('Covers').click()
    await item('lamp.png').waitFor()
    await item('cover.gif').waitFor()
    await page.getByRole('button', { name: 'Actions on lamp.png' }).click()
    await page.getByRole('menuitem', { name: 'Copy the URL' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    const { items } = await projectOf(server).get('/gallery/folders')
    const { items: images } = await projectOf(server).get(`/gallery/images?parentFolderId=${items[0]?._id}`)
    const urls = (images as unknown as readonly { readonly url: string }[]).map(({ url }) => url)
    expect(urls).toHaveLength(2)
    expect(urls).toContain(await page.evaluate(() => navigator.clipboard.readText()))
  })

  it('moves an image by keyboard', async () => {
    await page.getByRole('button', { name: 'Drag cover.gif' }).focus()
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''))
      .toContain('To the folder above')
    await page.keyboard.press('Enter')
    await expect.poll(() => item('cover.gif').count()).toBe(0)
    await item('To the folder above').click()
    await item('cover.gif').waitFor()
  })

  it('renames a folder and an image, and deletes the folder with what is in it', async () => {
    const folder = 'Größen & <b>Covers</b>'
    await rename('Name', 'Covers', folder)
    await item(folder).click()
    await rename('Name', 'lamp.png', '../“lamp”.png')
    await item('../“lamp”.png').waitFor()
    const [{ _id } = {}] = (await api().get('/gallery/folders')).items
    expect(await namesIn('/gallery/folders')).toEqual([folder])
    expect(await namesIn(`/gallery/images?parentFolderId=${_id}`)).toEqual(['../“lamp”.png'])
    await item('To the folder above').click()
    await remove(folder)
    await expect.poll(() => item(folder).count()).toBe(0)
    expect(await namesIn('/gallery/folders')).toEqual([])
    expect(await namesIn('/gallery/images')).toEqual(['cover.gif'])
  })

  it('makes a template from nothing and uses it in a campaign', async () => {
    await hand.follow('Templates')
    await titled('Templates')
    await hand.press('New template')
    await hand.write('Name of the template', 'Monthly letter')
    await hand.choose('Begin with', 'A letter')
    await hand.press('Create')
    await titled('Monthly letter')
    await hand.write('Subject', 'Hello {{contact.name}}')
    await page.getByText(/^Saving…$|^Saved \d/).waitFor()
    await saved()
    await page.frameLocator('iframe').frameLocator('iframe').getByText('Kind regards').waitFor()
    await hand.press('Use in a new campaign')
    await hand.write('Name of the campaign', 'March')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await titled('March')
    const campaign = (await projectOf(server).get('/campaigns')).items[0] as unknown as Record<string, unknown>
    expect(campaign).toMatchObject({ name: 'March', subject: 'Hello {{contact.name}}', type: 'visual' })
  })

  it('sends a template as a test, renames and copies it, and deletes the copy', async () => {
    const name = '{{Monthly}} & <i>letter</i>'
    await hand.follow('Templates')
    await hand.follow('Monthly letter')
    await hand.press('Send me a test')
    await page.getByText('On the way to olga@example.com').waitFor()
    await expect.poll(subjects).toContainEqual(expect.stringMatching(/Hello/))
    await hand.follow('Templates')
    await rename('Name of the template', 'Monthly letter', name)
    await page.getByRole('link', { name }).waitFor()
    await hand.actOn(name, 'Duplicate')
    await titled(`Copy of ${name}`)
    expect(await namesIn('/templates')).toEqual(expect.arrayContaining([name, `Copy of ${name}`]))
    await hand.follow('Templates')
    await remove(`Copy of ${name}`)
    expect(await namesIn('/templates')).toContain(name)
    expect(await namesIn('/templates')).not.toContain(`Copy of ${name}`)
  })

  it('changes a colour of the design, which the mails then have', async () => {
    await hand.follow('Templates')
    await hand.follow('Design')
    await titled('Design')
    const field = page.getByRole('textbox', { name: 'background', exact: true })
    await field.fill('#123456')
    await expect
      .poll(async () => JSON.stringify(await projectOf(server).get('/design-systems')))
      .toContain('"name":"background","value":"#123456"')
    await field.fill('nonsense')
    await page.getByText('Enter a color as #rrggbb', { exact: false }).first().waitFor()
    await field.fill('#abcdef')
    await saved()
  })

  it('creates a transactional email, sends one with data and counts it', async () => {
    await hand.follow('Automatic')
    await titled('Automatic')
    await page.getByRole('button', { name: 'New transactional email' }).first().click()
    await hand.write('Name', 'Receipt')
    await hand.press('Create')
    await titled('Receipt')
    await hand.write('Subject', 'Order {{order.number}}')
    await saved()
    await page.getByRole('radio', { name: 'Data' }).click()
    await hand.edit('Data of the sample', '{"order":{"number":7}}')
    await page.getByText('Order 7').waitFor()
    await hand.press('Send one to me')
    await page.getByText('On the way to olga@example.com').waitFor()
    await page.getByRole('radio', { name: 'Figures' }).click()
    await page.locator('main').getByText('Sent', { exact: true }).waitFor()
    await expect.poll(() => page.locator('main').locator('b').first().innerText()).toBe('1')
    await page.getByRole('radio', { name: 'Code' }).click()
    const { items } = await projectOf(server).get('/transactional-emails')
    const code = await page.locator('main pre').innerText()
    expect(code).toContain(`"transactionalId": "${items[0]?._id}"`)
    expect(code).toContain(`${new URL(page.url()).origin}/v1/projectId/`)
    expect(code).toContain('"number": 7')
  })

  it('sends a triggered email to oneself only as a subscriber, and counts it', async () => {
    await hand.follow('Automatic')
    await hand.pick('Triggered')
    await page.getByRole('button', { name: 'New triggered email' }).first().click()
    await hand.write('Name', 'Back in stock')
    await hand.press('Create')
    await titled('Back in stock')
    await hand.write('Subject', 'Back: {{thing}}')
    await hand.tick('Leave out unengaged contacts')
    await saved()
    const [{ _id } = {}] = (await api().get('/triggered-emails')).items
    const stored = () => api().get(`/triggered-emails/${_id}`)
    await expect.poll(stored).toMatchObject({ subject: 'Back: {{thing}}', excludeUnengaged: true })
    await hand.pick('Data')
    await hand.edit('Data of the sample', '{"thing":"<b>Lamp</b> & {{shade}}"}')
    await page.getByText('Back: <b>Lamp</b> & {{shade}}').waitFor()
    await hand.press('Send one to me')
    await page.getByText('olga@example.com gets nothing: Not on the list any more').waitFor()
    await api().post(`/subscriber-lists/${api().list}/subscribers`, { email: 'olga@example.com' })
    await hand.press('Send one to me')
    const mails = async () => (await subjects()).filter((one) => one?.startsWith('Back:'))
    await expect.poll(mails).toEqual(['Back: <b>Lamp</b> & {{shade}}'])
    await hand.press('Send me a test')
    await expect.poll(mails).toHaveLength(2)
    await hand.pick('Figures')
    await expect.poll(() => page.locator('main').locator('b').first().innerText()).toBe('1')
    expect(await api().get(`/triggered-emails/${_id}/stats`)).toMatchObject({ sent: 1 })
  })

  it('copies automatic emails of both kinds, and deletes the copies', async () => {
    for (const [path, kind, name] of [
      ['/triggered-emails', 'Triggered', 'Back in stock'],
      ['/transactional-emails', 'Transactional', 'Receipt'],
    ] as const) {
      await hand.follow('Automatic')
      await hand.pick(kind)
      await hand.actOn(name, 'Duplicate')
      await titled(`Copy of ${name}`)
      expect(await namesIn(path)).toEqual(expect.arrayContaining([name, `Copy of ${name}`]))
      await hand.follow('Automatic')
      await hand.pick(kind)
      await remove(`Copy of ${name}`)
      expect(await namesIn(path)).toEqual([name])
    }
  })

  it('gives an automatic email a feed and its own tracking, and a campaign the same way', async () => {
    const { items } = await projectOf(server).get('/transactional-emails')
    const { items: campaigns } = await projectOf(server).get('/campaigns')
    const home = page.url().replace(/\/automatic.*/, '')
    for (const path of [`/transactional-emails/${items[0]?._id}`, `/campaigns/${campaigns[0]?._id}`]) {
      await page.goto(home + path.replace('/transactional-emails', '/automatic/transactional'))
      await hand.press('Add a feed')
      const dialog = page.getByRole('dialog')
      await hand.write('Address of the feed', 'shop.example/news.json')
      await dialog.getByText('An address begins with http:// or https://.').waitFor()
      await hand.write('Address of the feed', 'https://shop.invalid/news.json')
      await hand.choose(/^RSS or Atom/, 'JSON')
      await hand.write('Name in the email', 'contact')
      await dialog.getByRole('button', { name: 'Add a feed' }).click()
      await page.getByText('The name contact is reserved.', { exact: true }).waitFor()
      await hand.press('Edit the feed contact')
      await hand.write('Name in the email', 'news')
      await hand.press('Save')
      await hand.tick('As the project')
      await hand.tick('Record opens of HTML mails')
      const stored = async () => (await projectOf(server).get(path)) as unknown as Record<string, unknown>
      await expect.poll(stored).toMatchObject({
        feeds: [{ url: 'https://shop.invalid/news.json', feedType: 'json', variableName: 'news', required: false }],
        tracking: { opens: false, clicks: true },
      })
      await hand.tick('As the project')
      await expect.poll(stored).not.toHaveProperty('tracking')
      await hand.press('Remove the feed news')
      await expect.poll(stored).toMatchObject({ feeds: [] })
    }
  })

  it('says which mails show an image, and names their number before it is deleted', async () => {
    const { items } = await projectOf(server).get('/gallery/images')
    const cover = (items as unknown as readonly { readonly name: string; readonly url: string }[]).find(
      ({ name }) => name === 'cover.gif',
    )
    const email = { subject: 'News', type: 'html', document: `<img src="${cover?.url}" alt="">` }
    await projectOf(server).post('/transactional-emails', { ...email, name: 'With the cover' })
    await hand.follow('Templates')
    await hand.follow('Gallery')
    await item('cover.gif').locator('img').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Used in 1 place:').waitFor()
    await dialog.getByRole('link', { name: 'With the cover' }).click()
    await titled('With the cover')
    await hand.follow('Templates')
    await hand.follow('Gallery')
    await hand.actOn('cover.gif', 'Delete…')
    await dialog.getByText('Used in 1 place; it will show a missing picture.').waitFor()
    await dialog.getByRole('textbox').fill('cover.gif')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => item('cover.gif').count()).toBe(0)
  })
})
