import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { aBrowser, describeInBrowser } from '../browser.js'
import { aWorld, type World } from '../world.js'
import { aReportedCampaign } from './reported-campaign.js'

describeInBrowser('the page of a campaign’s report', () => {
  let browser: Browser
  let world: World
  let page: Page
  let sent: string
  let sending: string
  let draft: string
  let asked: string[] = []

  beforeAll(async () => {
    world = await aWorld()
    sent = (await aReportedCampaign(world, { recipients: 1_000 })).link
    sending = (await aReportedCampaign(world, { recipients: 200, sending: true })).link
    const { _id } = await world.core.campaigns.create(world.project.scope, {
      name: 'A_name_that_is_far_too_long_for_a_small_screen_'.repeat(3),
      subject: 'A subject that goes on and on, '.repeat(20),
      timeZone: 'UTC',
      subscriberListId: world.project.list._id,
    })
    const { url } = await world.core.campaignReports.link(world.project.scope, _id)
    draft = url.replace('https://posthorn.example.com', world.client.base)
    browser = await aBrowser()
  })
  afterEach(() => page?.context().close())
  afterAll(async () => {
    await browser?.close()
    await world.client.close()
  })

  const open = async (link: string, { width = 390, dark = false, javaScriptEnabled = true } = {}) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme: dark ? 'dark' : 'light',
      locale: 'en-GB',
      javaScriptEnabled,
    })
    asked = []
    page = await context.newPage()
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(link)
  }

  it.each([{ width: 320 }, { width: 390 }, { width: 390, dark: true }, { width: 1280 }, { width: 1280, dark: true }])(
    'fits on the screen and passes the accessibility check: %j',
    async (look) => {
      await open(sent, look)
      for (const link of ['', sending, draft, `${sent}lost`]) {
        if (link) await page.goto(link)
        else await page.getByText('Show as a table').click()
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        await page.evaluate(axe.source)
        const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      }
    },
  )

  it('shows everything without scripts, and requests nothing from elsewhere', async () => {
    await open(sent, { javaScriptEnabled: false })
    for (const name of ['Over time', 'Clicks by link', 'Who did not get it, and why'])
      expect(await page.getByRole('heading', { name, exact: true }).isVisible()).toBe(true)
    expect(await page.getByRole('img', { name: 'Opens: Over time' }).isVisible()).toBe(true)
    expect(asked).toEqual(['/report'])
    await page.getByRole('link', { name: 'Reload' }).click()
    expect(asked).toEqual(['/report', '/report'])
  })

  it('describes its charts in words', async () => {
    await open(sent)
    const chart = page.getByRole('img', { name: 'Opens: Over time' })
    expect(await chart.locator('desc').textContent()).toMatch(/^[\d,]+ · up to [\d,]+ an hour$/)
    expect(await page.getByRole('img', { name: 'Delivery' }).locator('desc').textContent()).toMatch(
      /^Sent [\d,]+, Failed \d+ and Left out \d+$/,
    )
  })

  it('updates itself while the campaign is being sent, except an open table', async () => {
    await open(sending)
    const status = page.getByRole('status')
    const before = await status.textContent()
    await page.getByText('Show as a table').click()
    const table = await page.locator('#time').innerHTML()
    const [campaign] = (
      await world.core.campaigns.list(world.project.scope, { skip: 0, limit: 30, filter: { status: 'being-sent' } })
    ).items
    const [queued] = await world.ports.deliveries.claim({
      queue: { lane: 'bulk', projectId: world.project.project._id },
      worker: 'worker-1',
      now: '2030-01-01T00:00:00.000Z',
      leaseUntil: '2030-01-02T00:00:00.000Z',
      limit: 1,
    })
    await world.ports.deliveries.settle([
      {
        _id: queued?._id ?? '',
        worker: 'worker-1',
        to: 'sent',
        now: '2026-01-13T09:30:00.000Z',
        attempted: true,
        counted: [{ subject: `email:${campaign?._id}`, metric: 'sent' }],
      },
    ])
    await expect.poll(() => status.textContent()).not.toBe(before)
    expect(await page.locator('#time').innerHTML()).toBe(table)
  })

  it('prints black on white, whatever the colour scheme', async () => {
    await open(sent, { width: 800, dark: true })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const look = await page.evaluate(`(() => {
      const { color, backgroundColor } = getComputedStyle(document.body)
      return [color, backgroundColor, getComputedStyle(document.querySelector('summary')).display, document.querySelector('details').checkVisibility()]
    })()`)
    expect(look).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)', expect.anything(), false])
  })
})
