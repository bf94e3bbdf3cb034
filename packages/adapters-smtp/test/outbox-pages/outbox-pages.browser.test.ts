import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type OutboxCampaign, outboxPages } from '../../src/index.js'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const isMissing = !existsSync(executablePath)

const running: OutboxCampaign = {
  campaignId: '69280e5c8f1c4a2b9d3e7f10',
  name: 'Spring collection 2026, for everybody who has bought something in the last year',
  status: 'being-sent',
  sent: 1_240,
  failed: 3,
  excluded: 12,
  waiting: 3_745,
  expanding: false,
  scheduledTo: '2026-11-21T10:00:00.000Z',
  reportUrl: 'https://example.com/report?token=a.b',
}
const over: OutboxCampaign = {
  ...running,
  campaignId: '69280e5c8f1c4a2b9d3e7f11',
  name: 'January',
  status: 'sent',
  sent: 980,
  failed: 0,
  waiting: 0,
}

const items = Array.from({ length: 6 }, (_, n) => ({
  id: `ab${String(n).padStart(30, '0')}`,
  from: 'News <news@example.com>',
  to: `Reader ${n} <reader${n}@example.org>`,
  subject: 'Hello, the spring collection is here',
  date: '2026-11-21T10:00:00.000Z',
  size: 1_234,
}))

describe.skipIf(isMissing && process.env.CI !== 'true')('the outbox in a browser', () => {
  let campaigns: readonly OutboxCampaign[] = [running, over]
  const pages = outboxPages(
    {
      list: async () => ({ items, count: items.length }),
      get: async () => undefined,
      eml: async () => undefined,
      attachment: async () => undefined,
    },
    { campaigns: async () => campaigns },
  )
  const server = createServer(({ url = '/', method = 'GET' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    void pages({ method, path: pathname.replace(/^\/outbox/, ''), query: searchParams }).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
    )
  })
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  afterEach(() => page?.context().close())
  afterAll(async () => {
    await browser?.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const open = async ({ width = 1200, dark = false, javaScriptEnabled = true } = {}) => {
    campaigns = [running, over]
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      colorScheme: dark ? 'dark' : 'light',
      javaScriptEnabled,
    })
    page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/outbox`)
  }

  it.each([{ width: 320 }, { width: 390, dark: true }, { width: 1200 }, { width: 1200, dark: true }])(
    'fits on the screen and passes the accessibility check: %j',
    async (look) => {
      await open(look)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    },
  )

  it('follows a campaign’s progress', async () => {
    await open()
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('25')
    campaigns = [{ ...running, sent: 4_985, waiting: 0, status: 'sent' }, over]
    await page.getByText('4,985 sent').waitFor()
    expect(await page.getByRole('progressbar').count()).toBe(0)
  })

  it('shows the same without scripts', async () => {
    await open({ javaScriptEnabled: false })
    expect(await page.getByRole('progressbar').isVisible()).toBe(true)
    expect(await page.getByText('1,240 sent · 3,745 to go · 3 failed · 12 left out').isVisible()).toBe(true)
  })
})
