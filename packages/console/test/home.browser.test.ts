import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ReceivingRelay, receivingRelay } from '../../../apps/server/test/receiving-relay.js'
import {
  freePort,
  idsIn,
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { dnsServer } from '../../adapters-node/test/dns-server.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import type { Domain } from '../src/api/types.js'
import { becomeOwner, type Hand, mouse } from './hands.js'

/** A relay that refuses one reader until told otherwise. */
const refusedReader = 'full2@example.net'
const refusal = '552 5.2.2 Mailbox full'

describeInBrowser('home, the search for mails and the reputation in the console', () => {
  const directory = temporaryDirectory()
  let isFull = true
  let relay: ReceivingRelay
  let dns: Awaited<ReturnType<typeof dnsServer>>
  let server: RunningServer
  let browser: Browser
  let page: Page
  let hand: Hand

  beforeAll(async () => {
    relay = await receivingRelay({ refusal: (to) => (isFull && to === refusedReader ? refusal : undefined) })
    dns = await dnsServer()
    const port = await freePort()
    server = await startBuiltServer(directory.path, {
      SMTP_URL: relay.url,
      PORT: String(port),
      POSTHORN_PUBLIC_URL: `http://localhost:${port}`,
      POSTHORN_DNS_SERVERS: dns.address,
      POSTHORN_RELAY_DOMAIN: 'relay.example',
    })
    browser = await aBrowser()
    page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    hand = mouse(page)
    await becomeOwner(hand, server)
  })
  afterAll(async () => {
    await browser?.close()
    if (server) await stopServer(server)
    await relay?.close()
    await dns?.close()
    directory.remove()
  })

  const heading = (name: string, level = 1) => page.getByRole('heading', { name, level }).waitFor()
  const home = async () => {
    await hand.follow('Home')
    await heading('Home')
  }
  const lineOf = (text: string | RegExp) => page.locator('main li').filter({ hasText: text }).first()
  const mailsTo = (address: string) => relay.received.filter(({ to }) => to === address).length

  it('leads a new project through its first steps', async () => {
    await heading('Home')
    await heading('First steps', 2)
    await hand.follow('Add a domain')
    await page.getByRole('dialog').waitFor()
    await hand.press('Cancel')
    await home()
    await hand.follow('Import contacts')
    await heading('Imports')
  })

  it('shows failed mails that can be sent again, and leads to their campaign', async () => {
    const { list } = idsIn(server.printed())
    const { post, patch, get } = projectOf(server)
    for (const n of [1, 2, 3])
      await post(`/subscriber-lists/${list}/subscribers`, { email: n === 2 ? refusedReader : `reader${n}@example.net` })
    const { _id = '' } = await post('/campaigns', {
      ...{ name: 'Letter', subject: 'News for {{contact.email}}', type: 'text', document: 'Hello' },
      ...{ timeZone: 'UTC', subscriberListId: list },
    })
    await patch(`/campaigns/${_id}`, { status: 'scheduled', scheduledTo: new Date().toISOString() })
    await until(async () => (await get(`/campaigns/${_id}`)).status === 'sent')
    await home()
    await page.reload()
    const line = lineOf('1 failed mail of “Letter” can be sent again')
    await line.waitFor()
    expect(await lineOf(/^Letter/).innerText()).toContain('2\u00a0sent · 1\u00a0failed')
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
    await hand.follow('Choose what to retry', line)
    await heading('Letter')
    await page.getByText('5.2.2').first().waitFor()
  })

  it('finds one mail by its subject and reason, shows its history, and sends it again', async () => {
    await hand.follow('Deliveries')
    await page.locator('tbody tr').nth(2).waitFor()
    await hand.write('Part of the subject', 'NEWS FOR full')
    await hand.write('Part of the reason', 'mailbox FULL')
    await hand.choose('Status', 'Failed')
    await hand.press('Find')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('reason')).toBe('mailbox FULL')
    await page.reload()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    const download = page.waitForEvent('download')
    await hand.follow('Found mails as CSV')
    const rows = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n')
    expect(rows).toHaveLength(2)
    expect(rows[1]).toContain(refusedReader)

    await hand.follow(refusedReader)
    await heading(refusedReader)
    await page.getByText(refusal).first().waitFor()
    isFull = false
    await hand.press('Send again')
    await hand.press('Send again', page.getByRole('dialog'))
    await expect.poll(() => mailsTo(refusedReader)).toBe(1)
    await page.locator('header').getByText('Sent', { exact: true }).waitFor()
    await hand.follow('Explain this address')
    await heading(`${refusedReader} may get mail.`, 2)
  })

  it('says that nothing matches, and shows all again', async () => {
    await hand.follow('Deliveries')
    await hand.choose('Status', 'Failed')
    await hand.press('Find')
    await heading('Nothing matches', 2)
    await hand.press('Show all')
    await page.locator('tbody tr').nth(2).waitFor()
  })

  it('shows how each mailbox provider took the mails', async () => {
    await hand.follow('Sending')
    await hand.follow('Reputation')
    await heading('By mailbox provider', 2)
    const others = page.getByRole('row', { name: /^Others/ })
    await others.waitFor()
    expect(await others.innerText()).toMatch(/Others\s+3\s/)
    await hand.pick('7 days')
    await expect.poll(() => new URL(page.url()).searchParams.get('days')).toBe('7')
    await others.waitFor()
  })

  it('keeps what the person wants to be mailed', async () => {
    await hand.follow('Settings')
    await hand.follow('Your account')
    await heading('Your account')
    await hand.tick('A campaign was sent')
    const box = page.getByRole('checkbox', { name: 'A campaign was sent' })
    await expect.poll(() => box.isChecked()).toBe(true)
    await page.reload()
    await expect.poll(() => box.isChecked()).toBe(true)
    expect(await page.getByRole('checkbox', { name: /^The week in figures/ }).isChecked()).toBe(false)
  })

  it('applies for production access, once its domain is verified', async () => {
    await hand.follow('Sending')
    await hand.follow('Reputation')
    await heading('Reputation')
    const apply = async () => {
      await hand.press('Apply for production access')
      await hand.write('Mails per month', '50,000')
      await hand.write('Website', 'shop.example')
      await hand.write('What do you offer?', 'Books')
      await hand.write('Which mails do you send?', 'A letter a month')
      await hand.write('Where do the contacts come from?', 'They order books')
      await hand.write('Why this service?', 'It is ours')
      await hand.press('Send the application')
    }
    await apply()
    const refused = page.getByRole('dialog').getByRole('alert')
    expect(await refused.innerText()).toContain('Production access needs a domain')
    await hand.press('Cancel')

    const { post } = projectOf(server)
    const added = (await post('/domains', { domain: 'shop.example', region: 'eu-west-1' })) as unknown as Domain
    const { dkimCNAMEs, mx, spf } = added.requiredDns
    for (const { name, value } of dkimCNAMEs) dns.say('CNAME', name, [{ domain: value }])
    dns.say('MX', mx.name, [{ exchange: mx.value, priority: Number(mx.priority) }])
    dns.say('TXT', spf.name, [{ data: spf.value }])
    await post(`/domains/${added._id}/check`, {})
    await apply()
    await page.getByText('Under review').waitFor()
    expect(await page.getByRole('button', { name: 'Apply for production access' }).count()).toBe(0)
  })
})
