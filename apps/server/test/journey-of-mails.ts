import { setTimeout as sleep } from 'node:timers/promises'
import { localReceiver, type ReceivedRequest } from '@posthorn/testkit'
import { expect } from 'vitest'
import {
  freePort,
  projectOf,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { handOver, isNobody, receivingRelay, statusReport } from './receiving-relay.js'
import { isSigned, secretKey } from './standard-webhooks.js'

const domain = 'bounces.example.com'
const brevoSecret = 'a-secret-that-brevo-brings'
const people = ['nobody', 'later', 'reader', 'angry', 'leaver']
const addressOf = (name: string) => `${name}@example.net`

export const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** Sooner after a mail was sent, nobody has read it. */
const readingTime = 4_500
/** Between two clicks of a person, in milliseconds. */
const pause = 700

type Told = { readonly type: string; readonly emailData?: { readonly to: string } }

/** What receivers do: take an event once, by its id. */
const taken = (received: readonly ReceivedRequest[]): readonly Told[] => {
  const byId = new Map(received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body) as Told]))
  return [...byId.values()]
}

const namesOf = (told: readonly Told[]) =>
  told.map(({ type, emailData }) => (emailData ? `${type} ${emailData.to.split('@')[0]}` : type)).toSorted()

export type JourneyOptions = {
  /** Where the server keeps what it has, beside its directory. */
  readonly store: Readonly<Record<string, string>>
  /** Milliseconds until the mail of an address that is gone comes back. */
  readonly returnsAfter: number
  /** Whether events that a receiver did not take wait for their time, or a person has them posted at once. */
  readonly inTheirTime?: boolean
}

/**
 * What becomes of a campaign's mails, by the built server: one is refused, one comes back, one is complained of, one leads off the list,
 * and one is read, while the webhook's receiver is down and the server is started anew. Told twice, nothing changes.
 */
export const journeyOfMails = async ({ store, returnsAfter, inTheirTime = false }: JourneyOptions): Promise<void> => {
  const closing: (() => unknown)[] = []
  const data = temporaryDirectory()
  const [bouncePort, receiverPort] = [await freePort(), await freePort()]
  const returned: Promise<string>[] = []
  const comeBack = async (to: string): Promise<string> => {
    await sleep(returnsAfter)
    return handOver(bouncePort, to, statusReport(to))
  }
  const relay = await receivingRelay({
    refusal: (to) => (isNobody(to) ? '550 5.1.1 User unknown' : undefined),
    taken: ({ from, to }) => {
      if (to === addressOf('later')) returned.push(comeBack(from))
    },
  })
  closing.push(data.remove, relay.close)
  const environment = {
    ...store,
    SMTP_URL: relay.url,
    POSTHORN_PUBLIC_URL: 'https://mail.example.com',
    POSTHORN_BOUNCE_DOMAIN: domain,
    POSTHORN_BOUNCE_PORT: String(bouncePort),
    POSTHORN_BREVO_SECRET: brevoSecret,
    POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true',
  }
  try {
    const first = await startBuiltServer(data.path, environment)
    closing.push(() => stopServer(first))
    const { list, project, post, patch, get: ask } = projectOf(first)
    await patch('', { autoRemoveFromList: { bounce: 'removeFromLists', complaint: 'removeFromLists' } })
    const all = ['sent', 'failed', 'open', 'click', 'bounce', 'complaint', 'subscription']
    const url = `http://127.0.0.1:${receiverPort}/hooks`
    for (const name of people)
      await post(`/subscriber-lists/${list}/subscribers`, { email: addressOf(name), name, status: 'active' })
    await patch('/webhook', { url, secretKey, ...Object.fromEntries(all.map((type) => [type, true])) })
    const segment = await post('/segments', {
      name: 'Readers',
      groups: [{ conditions: [{ category: 'engagement', operator: 'clicked', value: 7 }] }],
    })
    const { _id: campaign } = await post('/campaigns', {
      name: 'News',
      subject: 'News',
      type: 'html',
      document:
        '<body><a href="https://shop.example.com/all">All</a> <a href="https://shop.example.com/{{contact.name}}">Yours</a></body>',
      subscriberListId: list,
      timeZone: 'UTC',
      status: 'scheduled',
      scheduledTo: '2026-01-01T00:00:00Z',
    })
    await until(() => relay.received.length === people.length - 1)
    await Promise.all([sleep(readingTime), until(async () => (await ask('/webhook')).failing !== undefined)])
    const { text } = relay.mailTo(addressOf('reader'))
    const html = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const links = [...html.matchAll(/https:\/\/mail\.example\.com(\/c\/[^"<\s]+)/g)].map(([, path = '']) => path)
    const pixel = /https:\/\/mail\.example\.com(\/o\/[^"<\s]+)/.exec(html)?.[1] ?? ''
    const follow = (path: string, userAgent: string) =>
      fetch(first.base + path, { headers: { 'user-agent': userAgent }, redirect: 'manual' })
    const [toAll = '', toYours = ''] = links.filter((path, place) => links.indexOf(path) === place)
    for (const path of [pixel, pixel]) expect((await follow(path, browser)).status).toBe(200)
    for (const path of [toAll, toYours]) {
      const { headers } = await follow(path, browser)
      expect(headers.get('location')).toMatch(/^https:\/\/shop\.example\.com\/(?:all|reader)$/)
      await sleep(pause)
    }
    await follow(toAll, 'python-requests/2.32')

    const complain = (base: string) =>
      fetch(`${base}/v1/brevo/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${brevoSecret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ event: 'spam', 'X-Mailin-custom': reference }),
      })
    const [, reference = ''] = /^X-Mailin-custom: (\S+)\r\n/m.exec(relay.mailTo(addressOf('angry')).text) ?? []
    const [, leaving = ''] = /<mailto:([^?>]+)/.exec(relay.mailTo(addressOf('leaver')).text) ?? []
    const leave = () => handOver(bouncePort, leaving, 'Subject: unsubscribe\r\n\r\n')
    expect((await complain(first.base)).status).toBe(204)
    expect(await leave()).toMatch(/^250/)
    expect(await Promise.all(returned)).toEqual([expect.stringMatching(/^250/)])
    expect(await stopServer(first)).toBe(0)

    const second = await startBuiltServer(data.path, environment)
    closing.push(() => stopServer(second))
    const { get, post: tell } = projectOf(second, { project, list })
    const ofCampaign = `/campaigns/${campaign}`
    /** Every number and every name that came of it. */
    const everything = async () => ({
      suppressed: (await get('/suppression-list')).items.map(({ email, reason }) => `${email}: ${reason}`).toSorted(),
      figures: await get(`${ofCampaign}/stats`),
      report: await get(`${ofCampaign}/report`),
      recipients: (await get(`${ofCampaign}/recipients?sort=email&order=asc`)).items,
      errors: (await get(`/related-to/${campaign}/email-error-logs`)).items,
      members: (await get(`/subscriber-lists/${list}/subscribers?sort=email&order=asc`)).items,
      stats: await get(`/subscriber-lists/${list}/stats`),
      contacts: (await get('/contacts?sort=email&order=asc')).items,
      readers: (await get(`/contacts?filter[segmentId]=${segment._id}`)).items.map(({ email }) => email),
      project: await get(''),
      told: (await get('/webhook/log?limit=100')).items.map(({ _id, type }) => `${type} ${_id}`).toSorted(),
    })

    const before = await everything()
    expect(before.suppressed).toEqual([
      `${addressOf('angry')}: complaint`,
      `${addressOf('later')}: bounce`,
      `${addressOf('nobody')}: bounce`,
    ])
    expect(before.figures).toMatchObject({
      sent: 4,
      failed: 1,
      bounce: 2,
      complaint: 1,
      opens: 2,
      uniqueOpens: 1,
      clicks: 2,
      uniqueClicks: 1,
      machineClicks: 1,
    })
    expect(before.report).toMatchObject({
      recipients: 5,
      sent: 4,
      failed: 1,
      bounced: 2,
      complained: 1,
      opens: 2,
      uniqueOpens: 1,
      clicks: 2,
      uniqueClicks: 1,
      unsubscribed: 1,
      links: expect.arrayContaining([
        expect.objectContaining({ link: 'https://shop.example.com/all', clicks: 1 }),
        expect.objectContaining({ link: 'https://shop.example.com/…', clicks: 1 }),
      ]),
    })
    expect(before.recipients).toMatchObject([
      { email: addressOf('angry'), status: 'sent', complained: true },
      { email: addressOf('later'), status: 'sent', bounced: true },
      { email: addressOf('leaver'), status: 'sent', unsubscribed: true },
      { email: addressOf('nobody'), status: 'failed', bounced: true },
      { email: addressOf('reader'), status: 'sent', opens: 2, clicks: 2 },
    ])
    expect(before.errors).toMatchObject([
      { recipient: addressOf('later'), errorName: '5.1.1', errorMessage: 'smtp; 550 5.1.1 The mailbox is gone' },
      { recipient: addressOf('nobody'), source: 'delivery', errorMessage: expect.stringContaining('5.1.1') },
    ])
    expect(before.members.map(({ email, status }) => `${email}: ${status}`)).toEqual([
      `${addressOf('leaver')}: unsubscribed`,
      `${addressOf('reader')}: active`,
    ])
    expect(before.readers).toEqual([addressOf('reader')])

    const posted = [
      'bounce later',
      'bounce nobody',
      'click reader',
      'click reader',
      'complaint angry',
      'failed nobody',
      'open reader',
      'open reader',
      'sent angry',
      'sent later',
      'sent leaver',
      'sent reader',
      'unsubscribe',
    ]
    const receiver = await localReceiver((_, response) => response.end(), receiverPort)
    closing.push(receiver.close)
    if (!inTheirTime) await tell('/webhook/replay', { state: 'pending' })
    await until(async () => (await get('/webhook/log?filter[state]=pending')).items.length === 0)
    expect(namesOf(taken(receiver.received))).toEqual(posted)
    expect(receiver.received.every(({ headers, body }) => isSigned(headers, body))).toBe(true)
    expect((await get('/webhook')).failing).toBeUndefined()

    for (let times = 0; times < 2; times += 1) {
      const { from } = relay.mailTo(addressOf('later'))
      expect(await handOver(bouncePort, from, statusReport(from))).toMatch(/^250/)
      expect((await complain(second.base)).status).toBe(204)
      expect(await leave()).toMatch(/^250/)
    }
    const postedOnce = receiver.received.length
    await tell('/webhook/replay', { state: 'delivered' })
    await until(() => receiver.received.length >= postedOnce + posted.length)
    expect(namesOf(taken(receiver.received))).toEqual(posted)
    expect(await everything()).toEqual(before)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}
