import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
let transactionalId = ''
beforeAll(async () => {
  world = await aWorld()
  const email = { name: 'T', subject: 'Hello {{n}}', type: 'text', document: '{{contact.email}} {{n}}' }
  transactionalId = (await world.call('createTransactionalEmail', { body: email })).result._id
})
afterAll(() => world.client.close())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const text = { subject: 'S', text: 'T' }
const keyed = (key: string) => ({ 'Idempotency-Key': key })
const sentSince = async (before: number) => {
  await world.core.worker.runUntilIdle()
  return world.mailer.sent.slice(before).map(({ to }) => to)
}

describe('sendMail', () => {
  it('answers one result per address, and the same again for its Idempotency-Key', async () => {
    await world.call('createSuppression', { body: { email: 'gone@example.com', reason: 'bounce' } })
    const before = world.mailer.sent.length
    const asked = { body: { to: ['a@example.com', 'gone@example.com'], ...text }, headers: keyed('one') }
    const first = await world.call('sendMail', asked)
    expect(first).toMatchObject({
      status: 200,
      result: {
        success: true,
        deliveries: [
          { email: 'a@example.com', accepted: true },
          { email: 'gone@example.com', accepted: false, reason: 'suppressed' },
        ],
      },
    })
    expect((await world.call('sendMail', asked)).result).toEqual(first.result)
    expect(await sentSince(before)).toEqual(['a@example.com'])
  })

  it('answers from the ledger what an earlier try with the same key stored', async () => {
    const requestId = '69280e5c8f1c4a2b9d3e7fff'
    const scope = { projectId: world.project.project._id, caller: 'api-key', requestId } as const
    const to = ['made1@example.com', 'gone@example.com', 'made2@example.com']
    const answer = await world.core.sends.direct(scope, { to, ...text })
    await world.core.worker.runUntilIdle()
    expect(await world.core.sends.directMade(scope)).toEqual(answer)
  })

  it('costs a request of the rate per 10 addresses', async () => {
    const limited = await aWorld({ rateLimits: { api: { perSecond: 0.001, burst: 60 } } })
    const send = async (to: string | string[]) => {
      const { headers } = await limited.call('sendMail', { body: { to, ...text } })
      return Number(headers.get('x-ratelimit-remaining'))
    }
    const addresses = (count: number) => Array.from({ length: count }, (_, n) => `n${n}@example.com`)
    await send('one@example.com')
    const left = [await send(addresses(10)), await send(addresses(50)), await send([]), await send('one@example.com')]
    expect(left.slice(1).map((after, n) => (left[n] ?? 0) - after)).toEqual([1, 5, 1])
    await limited.client.close()
  })

  it('refuses an address that is suppressed, as other sends do', async () => {
    const { status, error } = await world.call('sendMail', { body: { to: 'gone@example.com', ...text } })
    expect([status, error?.message]).toEqual([405, expect.stringContaining('flagged due to bouncing')])
  })

  it('counts opens for the recipient who opened, of several', async () => {
    const before = world.mailer.sent.length
    const body = { to: ['o1@example.com', 'o2@example.com'], subject: 'S', html: '<p>H</p>', tags: ['opened'] }
    await world.call('sendMail', { body })
    await world.core.worker.runUntilIdle()
    const { mime = '' } = world.mailer.sent.slice(before).find(({ to }) => to === 'o2@example.com') ?? {}
    const [, path = ''] =
      /"https:\/\/posthorn\.example\.com(\/o\/[^"]+)"/.exec(mime.replaceAll('=\r\n', '').replaceAll('=3D', '=')) ?? []
    world.clock.advance(60_000)
    await fetch(world.client.base + path, { headers: { 'user-agent': firefox } })
    await world.core.tracking.flush()
    const { result } = await world.call('listSendRecipients', { query: { 'filter[tags]': 'opened' } })
    expect(
      result.items.map(({ email, opens }) => [email, opens]).toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    ).toEqual([
      ['o1@example.com', 0],
      ['o2@example.com', 1],
    ])
    expect((await world.call('getSendStats')).result).toMatchObject({ uniqueOpens: 1 })
  })

  it('counts a mail of a transactional email in that email’s statistics', async () => {
    await world.call('sendMail', {
      body: { to: 't@example.com', template: transactionalId, subject: 'Other', data: { n: 1 } },
    })
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.at(-1)?.mime).toMatch(/^Subject: Other\r$/m)
    const { result } = await world.call('listTransactionalEmailRecipients', { params: { id: transactionalId } })
    expect(result.items.map(({ email }) => email)).toEqual(['t@example.com'])
  })

  it('names neither project nor anything of it in the mail', () => {
    for (const { mime } of world.mailer.sent) expect(mime).not.toContain(world.project.project._id)
  })
})

describe('cancelSend', () => {
  it('cancels a scheduled send, and says why a sent one cannot be', async () => {
    const sendAt = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
    const { result } = await world.call('sendMail', { body: { to: 'c@example.com', ...text, sendAt } })
    const cancel = (dispatchId: string) => world.call('cancelSend', { params: { dispatchId } })
    expect(await cancel(result.dispatchId)).toMatchObject({ status: 200, result: { cancelled: 1 } })
    expect(await cancel(result.dispatchId)).toMatchObject({ status: 200, result: { cancelled: 1 } })
    const sent = await world.call('sendMail', { body: { to: 'd@example.com', ...text } })
    await world.core.worker.runUntilIdle()
    expect(await cancel(sent.result.dispatchId)).toMatchObject({
      status: 405,
      error: { message: 'The mail was already sent.' },
    })
    expect(await cancel('0'.repeat(24))).toMatchObject({ status: 404, error: { message: 'Send not found' } })
  })
})

describe('sendBatch', () => {
  it('names the errors of rejected mails as responses do, and sends nothing twice', async () => {
    const before = world.mailer.sent.length
    const mails = [
      { email: 'b1@example.com', data: { n: 1 } },
      { email: 'nobody' },
      { email: 'gone@example.com' },
      { email: 'b2@example.com', transactionalId: 'none' },
    ]
    const asked = { body: { transactionalId, mails }, headers: keyed('batch') }
    const first = await world.call('sendBatch', asked)
    expect(first.status).toBe(200)
    expect(first.result.accepted).toBe(1)
    expect(first.result.results.map(({ error }) => error?.name)).toEqual([
      undefined,
      'VALIDATION_ERROR',
      'METHOD_NOT_ALLOWED',
      'NOT_FOUND',
    ])
    expect((await world.call('sendBatch', asked)).result).toEqual(first.result)
    expect(await sentSince(before)).toEqual(['b1@example.com'])
  })

  it('keeps the answer of the largest batch for its key', async () => {
    const mails = Array.from({ length: 500 }, (_, n) => ({ email: `reader-with-a-long-name-${n}@example.com` }))
    const asked = { body: { transactionalId, mails }, headers: keyed('large') }
    const first = await world.call('sendBatch', asked)
    await world.call('createSuppression', { body: { email: mails[0]?.email, reason: 'later' } })
    expect((await world.call('sendBatch', asked)).result).toEqual(first.result)
  })

  it.each([
    [{ mails: [] }, 'mails'],
    [{ mails: Array.from({ length: 501 }, () => ({ email: 'a@example.com' })) }, 'mails'],
    [{}, 'Missing required field: mails'],
  ])('is refused as a whole: %#', async (body, message) => {
    const { status, error } = await world.call('sendBatch', { body })
    expect([status, error?.message]).toEqual([400, expect.stringContaining(message)])
  })
})
