import { createCore, serverMailer } from '@posthorn/core'
import {
  type DeliveryToRender,
  type EmailToPrepare,
  type MailBatch,
  type MailResult,
  prepareEmail,
  renderingAndSending,
  unconfirmedSlots,
} from '@posthorn/core/ports/runtime'
import type { Mailer } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { nodeSecrets, type SendingThreadOptions, sendingThread, systemClock, systemSleep } from '../../src/index.js'
import { resultOfLostMail, threadMailStages } from '../../src/sending-thread/messages.js'

const secrets = ['a secret that only tests know']
const settings = { publicUrl: 'https://mail.example.com', bounceDomain: 'bounces.example.com' }

const here: Mailer = {
  send: async ({ mime }) => ({ kind: 'accepted', providerMessageId: mime }),
  ratePerSecond: async () => undefined,
  reportsSends: false,
  concurrency: 4,
  check: async () => undefined,
  close: async () => undefined,
}

const opened: Mailer[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

const opening = (changes: Partial<SendingThreadOptions> = {}) => {
  const thread = sendingThread({
    mailer: here,
    module: new URL('./mailer.js', import.meta.url),
    options: () => ({}),
    secrets,
    settings,
    log: () => undefined,
    ...changes,
  })
  opened.push(thread.mailer)
  return thread
}

const email = (changes: Partial<EmailToPrepare> = {}) =>
  prepareEmail({
    content: {
      subject: 'For {{contact.name}}',
      type: 'html',
      document:
        '<p>{{contact.name}} in {{contact.city}}: {{{contact.tags}}} {{unsubscribeLink}}</p>\n<p>Ünd so weiter.</p>\n',
      feeds: [],
    } as unknown as EmailToPrepare['content'],
    from: { email: 'post@example.com', name: 'Post' },
    feeds: {},
    data: {},
    plainText: { template: 'To {{contact.name}}' },
    kind: 'campaign',
    ids: { dispatchId: 'd1', emailId: 'e1' },
    feedback: { project: 'p', account: 'a' },
    list: { id: 'l1', name: 'Readers' },
    publicHost: 'mail.example.com',
    ...changes,
  })

const mailTo = (name: string, until = Date.now() + 60_000): DeliveryToRender => ({
  deliveryId: `d1:${name}`,
  email: `${name}@example.com`,
  contact: {
    _id: `contact-${name}`,
    emailKey: `${name}@example.com`,
    email: `${name}@example.com`,
    name,
    tags: ['new'],
    customFields: { city: 'Łódź' },
  } as unknown as NonNullable<DeliveryToRender['contact']>,
  until,
})

type Given = Pick<MailBatch, 'mailer'> & Partial<MailBatch>

const batch = (names: readonly string[], given: Given): MailBatch => ({
  dispatchId: 'd1',
  projectId: 'p1',
  email: email(),
  channel: { account: 'server' },
  list: { subscriberListId: 'l1', ownPage: undefined },
  turnKey: 'p1:bulk',
  unconfirmed: unconfirmedSlots(4),
  mails: names.map((name) => mailTo(name)),
  ...given,
})

/** All results of a batch, in the order in which they came. */
const sent = (
  by: { send: (batch: MailBatch, answered: (results: readonly MailResult[]) => void) => void },
  given: MailBatch,
) =>
  new Promise<readonly MailResult[]>((resolve) => {
    const all: MailResult[] = []
    by.send(given, (results) => {
      all.push(...results)
      if (all.length === given.mails.length) resolve(all)
    })
  })

/** By the delivery, without what differs from second to second. */
const byDelivery = (results: readonly MailResult[]) =>
  Object.fromEntries(
    results.map((one) => [one.deliveryId, JSON.parse(JSON.stringify(one).replaceAll(/Date: [^\\]*/g, 'Date:'))]),
  )

const kinds = (results: readonly MailResult[]) =>
  Object.fromEntries(
    results.map((one) => [one.deliveryId.slice(3), one.kind === 'answered' ? one.outcome.kind : one.kind]),
  )

describe('a sending thread', () => {
  it('renders the same mails as the main thread', async () => {
    const { mailer, renderAndSend } = opening()
    const inLine = renderingAndSending({
      secrets: nodeSecrets(secrets),
      clock: systemClock,
      sleep: systemSleep,
      settings,
    })
    const names = Array.from({ length: 60 }, (_, n) => `reader${n}`)
    const there = await sent(renderAndSend, batch(names, { mailer }))
    const same = await sent(inLine, batch(names, { mailer: here }))
    expect(byDelivery(there)).toEqual(byDelivery(same))
    expect(kinds(there)).toMatchObject({ reader0: 'accepted', reader59: 'accepted' })
  })

  it('renders the same mails as the main thread with individual links', async () => {
    const { mailer, renderAndSend } = opening()
    const inLine = renderingAndSending({
      secrets: nodeSecrets(secrets),
      clock: systemClock,
      sleep: systemSleep,
      settings,
    })
    const document =
      '<p>{{contact.name}}: <a href="https://shop.example.com/offers?all=1">Offers</a>, <a href="https://shop.example.com/in/{{contact.city}}">yours</a> and <a href="{{unsubscribeLink}}">unsubscribe</a></p>\n'
    const tracked = email({
      content: { subject: 'News', type: 'html', document, feeds: [] } as unknown as EmailToPrepare['content'],
      ids: { dispatchId: '6'.repeat(24), emailId: '5'.repeat(24) },
      tracking: {
        base: 'https://links.example.com',
        opens: true,
        clicks: true,
        tokenLength: 56,
        tableId: 'abcdef012345',
        table: {
          links: [
            { to: ['https://shop.example.com/offers?all=1'], block: { position: '1', name: 'a link' } },
            { to: ['https://shop.example.com/in/', ''], block: { position: '1', name: 'a link' } },
            { to: ['', ''], block: { position: '1', name: 'a link' } },
          ],
        },
      },
    })
    const mails = Array.from({ length: 60 }, (_, n): DeliveryToRender => {
      const one = mailTo(`reader${n}`)
      const _id = n.toString(16).padStart(24, '0')
      return { ...one, contactId: _id, ...(one.contact && { contact: { ...one.contact, _id } }) }
    })
    const given = { email: tracked, dispatchId: '6'.repeat(24), mails }
    const places = unconfirmedSlots(4)
    const there = await sent(renderAndSend, { ...batch([], { mailer, unconfirmed: places }), ...given })
    places.free(60)
    const same = await sent(inLine, { ...batch([], { mailer: here, unconfirmed: places }), ...given })
    expect(byDelivery(there)).toEqual(byDelivery(same))
    const [first] = same
    expect(JSON.stringify(first).replaceAll('=\\r\\n', '')).toContain('https://links.example.com/c/')
  })

  it('receives a dispatch’s prepared email once, and again after it evicted it', async () => {
    const { mailer, renderAndSend } = opening()
    const one = email()
    const many = Array.from({ length: 8 }, () => email({ data: { much: 'x'.repeat(2_500_000) } }))
    expect(kinds(await sent(renderAndSend, batch(['a'], { mailer, email: one })))).toEqual({ a: 'accepted' })
    for (const other of many) await sent(renderAndSend, batch(['b'], { mailer, email: other }))
    expect(kinds(await sent(renderAndSend, batch(['c'], { mailer, email: one })))).toEqual({ c: 'accepted' })
  })

  it('begins no mail after its lease ended or after a stop', async () => {
    const { mailer, renderAndSend } = opening()
    const late = { ...batch([], { mailer }), mails: [mailTo('late', Date.now() - 1)] }
    expect(kinds(await sent(renderAndSend, late))).toEqual({ late: 'not-started' })
    const stop = new AbortController()
    const names = ['hangs1', 'hangs2', 'hangs3', 'hangs4', 'waits']
    const results: MailResult[] = []
    renderAndSend.send(batch(names, { mailer, signal: stop.signal }), (some) => results.push(...some))
    await sent(renderAndSend, batch(['other'], { mailer, channel: { account: 'server', region: 'elsewhere' } }))
    stop.abort()
    await sent(renderAndSend, { ...late, channel: { account: 'server', region: 'elsewhere' } })
    expect(kinds(results)).toEqual({})
  })

  it('is started once by expected mails, and sends them', async () => {
    let started = 0
    const { mailer, renderAndSend } = opening({
      options: () => {
        started += 1
        return {}
      },
    })
    renderAndSend.expectMails?.()
    renderAndSend.expectMails?.()
    expect(started).toBe(1)
    expect(kinds(await sent(renderAndSend, batch(['one'], { mailer })))).toEqual({ one: 'accepted' })
    renderAndSend.expectMails?.()
    expect(started).toBe(1)
  })

  it('can be closed if the expected mails never come', async () => {
    const { mailer, renderAndSend } = opening()
    renderAndSend.expectMails?.()
    await expect(mailer.close()).resolves.toBeUndefined()
    renderAndSend.expectMails?.()
    expect(kinds(await sent(renderAndSend, batch(['one'], { mailer })))).toEqual({ one: 'not-started' })
  })

  it('returns unstarted mails if it is stopped before it runs', async () => {
    const { mailer, renderAndSend } = opening({ options: () => new Promise(() => undefined) })
    const stop = new AbortController()
    const asked = sent(renderAndSend, batch(['a', 'b'], { mailer, signal: stop.signal }))
    stop.abort()
    expect(kinds(await asked)).toEqual({ a: 'not-started', b: 'not-started' })
  })

  it('begins nothing if it is stopped while it receives the prepared email again', async () => {
    const { mailer, renderAndSend } = opening()
    const large = email({ data: { much: 'x'.repeat(17_000_000) } })
    await sent(renderAndSend, batch(['a'], { mailer, email: large }))
    const stop = new AbortController()
    const asked = sent(renderAndSend, batch(['b', 'c'], { mailer, email: large, signal: stop.signal }))
    stop.abort()
    expect(kinds(await asked)).toEqual({ b: 'not-started', c: 'not-started' })
  })

  it('reports a mail that cannot be rendered', async () => {
    const { mailer, renderAndSend } = opening()
    const endless = email({
      content: {
        subject: 'Hello',
        type: 'text',
        document: '{{#each numbers}}{{#each ../numbers}}{{#each ../../numbers}}x{{/each}}{{/each}}{{/each}}',
        feeds: [],
      } as unknown as EmailToPrepare['content'],
      data: { numbers: Array.from({ length: 100 }, (_, n) => n) },
    })
    const [result] = await sent(renderAndSend, batch(['a'], { mailer, email: endless }))
    expect(result).toMatchObject({ kind: 'render-failed', error: { name: 'RenderFailure' } })
  })

  it('sends mails completely if attachments or text are made in the main thread', async () => {
    const { mailer, renderAndSend } = opening()
    const part = 'Content-Type: text/plain\r\n\r\nan attachment'
    const withFile = email({ attachments: async () => [part] })
    const withText = email({ plainText: { of: async (html) => `made of ${html.length} characters` } })
    const [file] = await sent(renderAndSend, batch(['a'], { mailer, email: withFile }))
    const [text] = await sent(renderAndSend, batch(['a'], { mailer, email: withText }))
    expect(JSON.stringify(file)).toContain('an attachment')
    expect(JSON.stringify(text)).toMatch(/made of \d+ characters/)
  })
})

describe('a mail’s reference', () => {
  const part = 'Content-Type: text/plain\r\n\r\nan attachment'

  it('is passed with a mail rendered elsewhere if the mailer uses it', async () => {
    const { mailer, renderAndSend } = opening({ mailer: { ...here, tellsReference: true } })
    const withFile = email({ attachments: async () => [part] })
    const ids = { dispatchId: 'a'.repeat(24) }
    const [file] = await sent(renderAndSend, batch(['a'], { mailer, email: withFile, ...ids }))
    expect(file).toMatchObject({ outcome: { providerMessageId: expect.stringMatching(/^b-[a-z2-7]{39,58} /) } })
  })

  it('is not made for other mailers', async () => {
    const { mailer, renderAndSend } = opening()
    const withFile = email({ attachments: async () => [part] })
    const [file] = await sent(renderAndSend, batch(['a'], { mailer, email: withFile, dispatchId: 'a'.repeat(24) }))
    expect(file).toMatchObject({ outcome: { providerMessageId: expect.stringMatching(/^From: /) } })
  })
})

describe('a sending thread with a long queue', () => {
  it('sends shares in turn: a single mail does not wait for a campaign', async () => {
    const { mailer, renderAndSend } = opening()
    const places = unconfirmedSlots(10_000)
    const order: string[] = []
    const note = (results: readonly MailResult[]) => order.push(...results.map(({ deliveryId }) => deliveryId.slice(3)))
    const campaign = Array.from({ length: 2_000 }, (_, n) => `slow${n}`)
    renderAndSend.send(batch(campaign, { mailer, unconfirmed: places }), note)
    await sent(renderAndSend, batch(['code'], { mailer, unconfirmed: places, turnKey: 'p1:transactional' })).then(note)
    expect(order).toContain('code')
    expect(order.length).toBeLessThan(100)
  })

  it('begins no mail over the unconfirmed limit, and continues when some are stored', async () => {
    const handed = new Int32Array(new SharedArrayBuffer(4))
    const { mailer, renderAndSend } = opening({ options: () => ({ handed }) })
    const places = unconfirmedSlots(1)
    const names = Array.from({ length: 500 }, (_, n) => `reader${n}`)
    const results: MailResult[] = []
    renderAndSend.send(batch(names, { mailer, unconfirmed: places }), (some) => results.push(...some))
    const answered = async (n: number) => {
      await expect.poll(() => results.length).toBe(n)
    }
    await answered(200)
    await sent(renderAndSend, batch(['other'], { mailer, channel: { account: 'server', region: 'elsewhere' } }))
    expect(handed[0]).toBe(201)
    places.free(30)
    renderAndSend.freed()
    await answered(230)
    expect(handed[0]).toBe(231)
  })
})

describe('a sending thread that dies', () => {
  it.each(['ends', 'hoards'])(
    'leaves transmitted mails unconfirmed, returns the others, and is replaced (%s)',
    async (how) => {
      const { mailer, renderAndSend } = opening({ memoryMb: 64 })
      const names = [how, ...Array.from({ length: 20 }, (_, n) => `reader${n}`)]
      const results = kinds(await sent(renderAndSend, batch(names, { mailer })))
      expect(results[how]).toBe('unknown')
      expect(new Set(Object.values(results))).toEqual(new Set(['unknown', 'not-started']))
      expect(Object.values(results).filter((one) => one === 'unknown').length).toBeLessThanOrEqual(4)
      expect(kinds(await sent(renderAndSend, batch(['after'], { mailer })))).toEqual({ after: 'accepted' })
    },
  )

  const objects = (count: number, each: string) => JSON.parse(`[${Array(count).fill(each).join()}]`) as unknown

  it('accepts data whose objects have a large index as key', async () => {
    const { mailer, renderAndSend } = opening({ memoryMb: 64 })
    const large = email({ data: { a: objects(24_000, '{"1000":1}') } })
    expect(kinds(await sent(renderAndSend, batch(['ada'], { mailer, email: large })))).toEqual({ ada: 'accepted' })
  })

  it('counts an attempt if it died while receiving the prepared email', async () => {
    const { mailer, renderAndSend } = opening({ memoryMb: 32 })
    const large = email({ feeds: { a: objects(600_000, '{}') } })
    expect(kinds(await sent(renderAndSend, batch(['ada', 'bob'], { mailer, email: large })))).toEqual({
      ada: 'deferred',
      bob: 'deferred',
    })
    expect(kinds(await sent(renderAndSend, batch(['after'], { mailer })))).toEqual({ after: 'accepted' })
  })

  it('reports the outcome of a mail rendered elsewhere', async () => {
    const { mailer } = opening()
    const mail = { deliveryId: 'd1:x', projectId: 'p1', from: 'post@example.com', mime: 'Hello\r\n' }
    expect(await mailer.send({ ...mail, to: 'ends@example.com' })).toMatchObject({ kind: 'unknown' })
    expect(await mailer.send({ ...mail, to: 'after@example.com' })).toMatchObject({ kind: 'accepted' })
  })

  it('delays what it was rendering as an attempt, because that may have killed it', () => {
    expect(resultOfLostMail('d', threadMailStages.waiting)).toEqual({ deliveryId: 'd', kind: 'not-started' })
    expect(resultOfLostMail('d', threadMailStages.making)).toMatchObject({
      outcome: { kind: 'deferred', throttled: false },
    })
    expect(resultOfLostMail('d', threadMailStages.handedOver)).toMatchObject({ outcome: { kind: 'unknown' } })
  })

  it('loses no mail of a campaign, has at most 200 unconfirmed, and completes it', async () => {
    const world = inMemoryPorts()
    const handed = new Int32Array(new SharedArrayBuffer(4))
    const { mailer, renderAndSend } = opening({ options: () => ({ handed }) })
    const { deliveries } = world.ports
    let recorded = 0
    let others = 0
    const unconfirmedThen: number[] = []
    const unconfirmed = () => (handed[0] ?? 0) - others - recorded
    const core = createCore({
      ...world.ports,
      deliveries: {
        ...deliveries,
        settle: async (settlements) => {
          await systemSleep(5)
          // The first are recorded when the thread has handed over all that it may before.
          while (recorded === 0 && unconfirmed() <= 150) await systemSleep(5)
          unconfirmedThen.push(unconfirmed())
          await deliveries.settle(settlements)
          recorded += settlements.filter(({ to, attempted }) => to !== 'queued' || attempted).length
        },
      },
      clock: systemClock,
      sleep: systemSleep,
      mailers: serverMailer(mailer),
      renderAndSend,
    })
    const project = await sampleProject(core)
    await project.subscribe(1_500)
    const { _id } = await core.campaigns.create(project.scope, {
      name: 'News',
      subject: 'News',
      type: 'html',
      document: '<p>{{contact.email}}</p>',
      timeZone: 'UTC',
      subscriberListId: project.list._id,
      status: 'scheduled',
      scheduledTo: '2020-01-01T00:00:00Z',
    })
    const killing = setInterval(() => {
      others += 1
      void mailer.send({ deliveryId: 'x', projectId: 'x', from: 'a@b.example', to: 'ends@b.example', mime: '\r\n' })
    }, 15)
    setTimeout(() => clearInterval(killing), 200)
    const counts = async () => (await core.campaigns.progress(project.scope, _id)).deliveries
    while ((await counts()).sent < 1_500) await core.worker.runUntilIdle()
    expect(await counts()).toMatchObject({ sent: 1_500, failed: 0, queued: 0, sending: 0, uncertain: 0 })
    expect(Math.max(...unconfirmedThen)).toBeGreaterThan(150)
    expect(Math.max(...unconfirmedThen)).toBeLessThanOrEqual(200)
  })
})

describe('closing a sending thread', () => {
  it('waits for mails in flight, and returns later ones', async () => {
    const { mailer, renderAndSend } = opening()
    const asked = sent(renderAndSend, batch(['a', 'b'], { mailer }))
    await asked
    await mailer.close()
    await mailer.close()
    const after = sent(renderAndSend, batch(['c'], { mailer }))
    expect(kinds(await after)).toEqual({ c: 'not-started' })
  })
})
