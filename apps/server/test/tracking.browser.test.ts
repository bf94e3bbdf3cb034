import { setTimeout } from 'node:timers/promises'
import { localReceiver } from '@posthorn/testkit'
import { afterEach, expect, it } from 'vitest'
import { aBrowser, describeInBrowser } from '../../../packages/http-express/test/browser.js'
import {
  countMails,
  projectOf,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { isSigned, secretKey } from './standard-webhooks.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Sooner after a mail was sent, nobody has read it. */
const readingTime = 4_500

describeInBrowser('a mail of the outbox that somebody reads', () => {
  it('opens and clicks reach the statistics, the recipient, the contact, a segment and a webhook, across restarts', async () => {
    const data = temporaryDirectory()
    const shop = await localReceiver((_, response) => response.end('<title>Shop</title>'))
    const receiver = await localReceiver((_, response) => response.end())
    closing.push(data.remove, shop.close, receiver.close)
    const environment = { POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true' }
    const first = await startBuiltServer(data.path, environment)
    const ids = projectOf(first)
    const { list, post, patch } = ids
    await patch('/webhook', { url: receiver.url, secretKey, open: true, click: true })
    await post(`/subscriber-lists/${list}/subscribers`, { email: 'ada@example.com', name: 'Ada', status: 'active' })
    const segment = await post('/segments', {
      name: 'Readers',
      groups: [{ conditions: [{ category: 'engagement', operator: 'clicked', value: 7 }] }],
    })
    const campaign = await post('/campaigns', {
      name: 'News',
      subject: 'News',
      type: 'html',
      document: `<body><a href="${new URL(shop.url).origin}/all">All</a> <a href="${new URL(shop.url).origin}/for/{{contact.name}}">Yours</a></body>`,
      subscriberListId: list,
      timeZone: 'UTC',
      status: 'scheduled',
      scheduledTo: '2026-01-01T00:00:00Z',
    })
    await until(() => countMails(data.path) === 1)
    await setTimeout(readingTime)

    const browser = await aBrowser()
    closing.push(() => browser.close())
    const userAgent =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
    const page = await (await browser.newContext({ userAgent })).newPage()
    await page.goto(`${first.base}/outbox`)
    await page.getByRole('link', { name: 'News' }).last().click()
    await page.getByRole('link', { name: 'Load them' }).click()
    const mail = page.frameLocator('iframe')
    for (const name of ['All', 'Yours']) {
      const [shown] = await Promise.all([page.waitForEvent('popup'), mail.getByRole('link', { name }).click()])
      await shown.waitForLoadState()
      expect(await shown.title()).toBe('Shop')
      await setTimeout(600)
    }
    expect(shop.received.map(({ url }) => url).filter((url) => url !== '/favicon.ico')).toEqual(['/all', '/for/Ada'])
    await stopServer(first)

    const second = await startBuiltServer(data.path, environment)
    closing.push(() => stopServer(second))
    const { get } = projectOf(second, ids)
    expect(await get(`/campaigns/${campaign._id}/stats`)).toMatchObject({
      opens: 1,
      uniqueOpens: 1,
      clicks: 2,
      uniqueClicks: 1,
      machineClicks: 0,
    })
    const recipients = await get(`/campaigns/${campaign._id}/recipients?filter[clicked]=true`)
    expect(recipients.items).toMatchObject([{ email: 'ada@example.com', opens: 1, clicks: 2 }])
    const contact = await get('/contacts/ada@example.com')
    expect(contact.lastClickDate).toBeDefined()
    expect(contact.lastOpenDate).toBeDefined()
    expect((await get(`/contacts?filter[segmentId]=${segment._id}`)).items).toMatchObject([
      { email: 'ada@example.com' },
    ])
    await until(() => receiver.received.length >= 3)
    for (const { headers, body } of receiver.received) expect(isSigned(headers, body)).toBe(true)
    const events = receiver.received.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>)
    const links = events.filter(({ type }) => type === 'click').map(({ link }) => new URL(String(link)).pathname)
    expect(links.toSorted()).toEqual(['/all', '/for/Ada'])
    expect(events.find(({ type }) => type === 'open')).toMatchObject({
      userAgent,
      emailData: { to: 'ada@example.com' },
    })
  })
})
