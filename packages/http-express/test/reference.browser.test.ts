import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { httpApp, routes } from '../src/index.js'
import { aBrowser, describeInBrowser } from './browser.js'
import { aWorld, unlimited, type World } from './world.js'

type Look = { readonly width?: number; readonly dark?: boolean }

describeInBrowser('the reference', () => {
  let browser: Browser
  let world: World
  let page: Page
  let base: string
  let close: () => Promise<unknown>
  let asked: string[]
  let refused: string[]

  beforeAll(async () => {
    world = await aWorld()
    const { core, ports } = world
    const app = httpApp({ core, publicUrl: ports.settings.publicUrl, log: ports.log, rateLimits: unlimited })
    const server = app.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    base = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    browser = await aBrowser()
    close = () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  })
  afterEach(() => page?.context().close())
  afterAll(async () => {
    await browser?.close()
    await Promise.all([close(), world.client.close()])
  })

  const open = async ({ width = 1280, dark = false }: Look = {}, path = '/docs') => {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    page = await context.newPage()
    asked = []
    refused = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && refused.push(message.text()))
    page.on('pageerror', (error) => refused.push(error.message))
    await page.goto(`${base}${path}`)
  }
  const article = (id: string) => page.locator(`article#${id}`)
  const giveKey = async () => {
    await page.getByLabel('Project', { exact: true }).fill(world.project.project._id)
    await page.getByLabel('API key', { exact: true }).fill(world.project.key)
  }
  const send = async (id: string) => {
    const form = article(id).locator('.try')
    await form.getByText('Try it').click()
    await form.getByRole('button', { name: 'Send' }).click()
    await form.locator('pre').waitFor()
    return form.getByRole('status').textContent()
  }

  it('has every endpoint with code in both languages, and requests only this server', async () => {
    await open()
    expect(await page.locator('article').evaluateAll((all) => all.map(({ id }) => String(id)).sort())).toEqual(
      routes.map(({ id }) => id).sort(),
    )
    expect(await page.locator('figure[data-language]').count()).toBe(2 * routes.length)
    await article('getProject').getByText('Try it').click()
    await article('getProject').getByRole('button', { name: 'Send' }).waitFor()
    expect(asked.map((url) => url.replace(base, '')).sort()).toEqual([
      '/docs',
      '/docs/dom.js',
      '/docs/reference.css',
      '/docs/reference.js',
      '/docs/scheme.js',
      '/docs/try.js',
      '/v1/openapi.json',
    ])
    expect(refused).toEqual([])
  })

  it('runs no foreign script', async () => {
    await open()
    const directives = await page.evaluate(`new Promise((resolve) => {
      const found = []
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        found.push(effectiveDirective)
        if (found.length === 3) resolve(found.sort())
      })
      document.body.insertAdjacentHTML('beforeend', '<style>p { color: red }</style><img src="https://evil.example.com/x.png">')
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'pwned = true' }))
    })`)
    expect(directives).toEqual(['img-src', 'script-src-elem', 'style-src-elem'])
  })

  it('finds endpoints by words of their summary, path and resource', async () => {
    await open()
    await page.keyboard.press('/')
    await page.keyboard.type('segments delete')
    expect(await page.locator('article:visible').evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      'deleteSegment',
    ])
    expect(await page.locator('#found').textContent()).toBe(`1 of ${routes.length} endpoints`)
    await page.keyboard.press('Escape')
    expect(await page.locator('article:visible').count()).toBe(routes.length)
  })

  it('calls endpoints, and reuses the ids of their responses', async () => {
    await open()
    await giveKey()
    expect(await send('createSegment')).toMatch(/^201 /)
    expect(await send('getSegment')).toMatch(/^200 /)
    const { result } = await world.call('listSegments')
    const [made] = result.items
    expect(await article('getSegment').locator('[data-language=curl] code').textContent()).toContain(made?._id)
    expect(await send('uploadGalleryImage')).toMatch(/^400 /)
    expect(await article('getProject').locator('[data-language=curl] code').textContent()).toContain(
      `${base}/v1/projectId/${world.project.project._id}`,
    )
  })

  it('shows the chosen language, and copies its code', async () => {
    await open()
    await page.getByRole('button', { name: 'TypeScript' }).click()
    const code = article('getProject').locator('[data-language=typescript]')
    await code.getByRole('button', { name: 'Copy' }).click()
    await code.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('const response = await fetch(')
    await page.reload()
    expect(await article('getProject').locator('[data-language=curl]').isVisible()).toBe(false)
  })

  it('remembers the dark scheme on the next visit', async () => {
    await open()
    const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await paper()
    await page.getByRole('button', { name: 'Dark' }).click()
    const dark = await paper()
    expect(dark).not.toBe(light)
    await page.reload()
    expect(await paper()).toBe(dark)
  })

  it('opens the schema that a link points to', async () => {
    await open({}, '/docs#schema-Campaign')
    expect(await page.locator('#schema-Campaign .name').first().isVisible()).toBe(true)
  })

  it.each<Look & { path: string }>([
    { path: '/docs', width: 360 },
    { path: '/docs', width: 1280, dark: true },
    { path: '/', width: 360 },
    { path: '/', width: 360, dark: true },
    { path: '/', width: 1280 },
    { path: '/', width: 1280, dark: true },
  ])('fits on the screen and passes the accessibility check: %j', async ({ path, ...look }) => {
    await open(look, path)
    if (path === '/docs') {
      await giveKey()
      await send('listSegments')
      await page.locator('details.schema summary').first().click()
      // All are made alike: one of each resource is enough to look at, and the rest would take most of the time.
      const alike =
        '.resource article:nth-of-type(n + 2), #menu li:nth-of-type(n + 4), details.schema:nth-of-type(n + 12)'
      await page.evaluate(`for (const one of document.querySelectorAll('${alike}')) one.remove()`)
    }
    await page.evaluate('scrollTo(0, 0)')
    const { SHOTS } = process.env
    const name = `${path.slice(1) || 'front'}-${look.width}-${look.dark ? 'dark' : 'light'}`
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` })
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.evaluate(axe.source)
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
    expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([])
  })
})
