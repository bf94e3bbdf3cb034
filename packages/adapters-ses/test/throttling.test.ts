import { createCore } from '@posthorn/core'
import { type LocalCall, type LocalSesOptions, SesError } from '@posthorn/local-aws'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { sesMailer } from '../src/index.js'
import { atEnd, awsOf, region, started } from './world.js'

/** In milliseconds of a second, how long the engine does not look for what is due: it does so when the second begins, and before it ends. */
const pauses = [800, 200]

/** The engine on a local SES, with a campaign to so many readers. */
const aCampaign = async (readers: number, options: LocalSesOptions = {}) => {
  const clock = { now: () => 0 }
  const ses = await started({ ...options, now: () => clock.now() })
  ses.region(region).identities.verify('example.com', true)
  const mailer = sesMailer({ region, ...awsOf(ses), now: () => clock.now() })
  atEnd(() => mailer.close())
  const world = inMemoryPorts({ mailer })
  clock.now = () => world.clock.now().getTime()
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  await project.subscribe(readers)
  const { _id } = await core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'Hello',
    type: 'text',
    document: 'Hello',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2020-01-01T00:00:00Z',
  })
  const progress = async () => {
    const { deliveries, status } = await core.campaigns.progress(project.scope, _id)
    return { ...deliveries, status }
  }
  /** In milliseconds. */
  let passed = 0
  return {
    /** So many seconds have passed, fractions included. */
    second: () => passed / 1_000,
    ses,
    core,
    scope: project.scope,
    campaignId: _id,
    credit: () => world.ports.counters.used(`credit:${project.account._id}`),
    failures: async () => (await world.ports.figures.totals(`email:${_id}`, {})).failed,
    advance: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await core.worker.runUntilIdle()
        world.clock.advance(1_000)
      }
    },
    progress,
    /** Works, second by second, until nobody is waiting. */
    finish: async (seconds: number) => {
      for (const end = passed + seconds * 1_000; passed < end; ) {
        await core.worker.runUntilIdle()
        const { queued, sending, uncertain } = await progress()
        if (queued + sending + uncertain === 0) return
        const pause = pauses[passed % 1_000 === 0 ? 0 : 1] ?? 0
        world.clock.advance(pause)
        passed += pause
      }
    },
    receivers: () => ses.sent.map(({ to }) => to[0]),
  }
}

const isSend = ({ operation }: LocalCall) => operation === 'SendEmail'

describe('a campaign through Amazon SES', () => {
  it('loses nobody and sends nobody twice while every fifth call is throttled', async () => {
    const { ses, progress, finish, receivers } = await aCampaign(300)
    let calls = 0
    ses.failWith((call) => {
      if (isSend(call)) calls += 1
      return isSend(call) && calls % 5 === 0
        ? new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.', 429)
        : undefined
    })
    await finish(3_000)
    expect(await progress()).toMatchObject({ sent: 300, failed: 0 })
    expect(new Set(receivers()).size).toBe(300)
    expect(receivers()).toHaveLength(300)
    expect(calls).toBeGreaterThan(350)
  })

  it('loses nobody and sends nobody twice during a minute’s outage of SES', async () => {
    const { ses, progress, finish, receivers } = await aCampaign(60, { account: { maxSendRate: 10 } })
    await finish(2)
    ses.failWith((call) => (isSend(call) ? new SesError('ServiceUnavailable', 'Slow down.', 503) : undefined))
    await finish(60)
    expect((await progress()).queued).toBeGreaterThan(0)
    ses.failWith(() => undefined)
    await finish(3_000)
    expect(await progress()).toMatchObject({ sent: 60, failed: 0 })
    expect(receivers()).toHaveLength(60)
    expect(new Set(receivers()).size).toBe(60)
  })

  it('keeps to the account’s rate without a refusal', async () => {
    const { ses, progress, finish, receivers } = await aCampaign(100, { account: { maxSendRate: 14 } })
    await finish(60)
    expect(await progress()).toMatchObject({ sent: 100 })
    expect(new Set(receivers()).size).toBe(100)
    expect(ses.calls.filter(isSend)).toHaveLength(100)
  })

  it('stops with a reason when sending is paused, returns the credit, and continues by a retry', async () => {
    const { ses, core, scope, progress, finish, receivers, campaignId, credit, failures } = await aCampaign(20, {
      account: { maxSendRate: 5 },
    })
    await finish(2)
    const sofar = ses.sent.length
    ses.change({ sendingEnabled: false })
    await finish(60)
    expect(await progress()).toMatchObject({ sent: sofar, failed: 20 - sofar, queued: 0 })
    expect(await core.campaigns.get(scope, campaignId)).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('put-account-sending-attributes'),
    })
    expect(await credit()).toBe(sofar)
    ses.change({ sendingEnabled: true })
    expect(await core.campaigns.retryFailed(scope, campaignId)).toBe(20 - sofar)
    await finish(600)
    expect(await progress()).toMatchObject({ status: 'sent', sent: 20, failed: 0 })
    expect(await credit()).toBe(20)
    expect(receivers()).toHaveLength(20)
    expect(new Set(receivers()).size).toBe(20)
    expect(await failures()).toBeUndefined()
  })

  it('keeps a transactional mail waiting while sending is paused, and sends it afterwards', async () => {
    const { ses, core, scope, advance } = await aCampaign(1, { account: { sendingEnabled: false } })
    const content = { name: 'Receipt', subject: 'Receipt', type: 'text', document: 'Receipt' } as const
    const { _id } = await core.transactionalEmails.create(scope, content)
    await core.sends.transactional(scope, { transactionalId: _id, email: 'ada@example.org' })
    await advance(120)
    expect(ses.sent).toEqual([])
    ses.change({ sendingEnabled: true })
    await advance(300)
    expect(ses.sent.filter(({ to }) => to[0] === 'ada@example.org')).toHaveLength(1)
  })

  const n = 10_000
  it('of 10,000 uses 95 % of its rate around a minute’s outage, loses nobody and sends nobody twice', async () => {
    const maxSendRate = 100
    const { ses, progress, finish, receivers, second } = await aCampaign(n, { account: { maxSendRate } })
    await finish(20)
    ses.failWith((call) => (isSend(call) ? new SesError('ServiceUnavailable', 'Slow down.', 503) : undefined))
    await finish(60)
    ses.failWith(() => undefined)
    await finish(3_000)
    expect(await progress()).toMatchObject({ sent: n, failed: 0 })
    expect(receivers()).toHaveLength(n)
    expect(new Set(receivers()).size).toBe(n)
    expect(n / ((second() - 60) * maxSendRate)).toBeGreaterThanOrEqual(0.95)
  }, 300_000)

  const tooFast = new SesError('TooManyRequestsException', 'Maximum sending rate exceeded.', 429)

  it('of 10,000 uses 95 % of its rate while every fifth call is throttled, loses nobody and sends nobody twice', async () => {
    const maxSendRate = 150
    const { ses, progress, finish, receivers, second } = await aCampaign(n, { account: { maxSendRate } })
    let state = 4_711
    ses.failWith((call) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return isSend(call) && state / 2 ** 32 < 0.2 ? tooFast : undefined
    })
    await finish(1_000)
    expect(await progress()).toMatchObject({ sent: n, failed: 0 })
    expect(receivers()).toHaveLength(n)
    expect(new Set(receivers()).size).toBe(n)
    expect(ses.calls.filter(isSend).length).toBeGreaterThan(n / 0.82)
    expect(n / (second() * maxSendRate)).toBeGreaterThanOrEqual(0.95)
  }, 120_000)

  it('of 2,000 reaches nine tenths of a hidden lower limit, with under a fifth of its calls throttled', async () => {
    const [mails, share] = [2_000, 50]
    const { ses, progress, finish, receivers, second } = await aCampaign(mails, { account: { maxSendRate: 2 * share } })
    let window = { second: -1, taken: 0 }
    ses.failWith((call) => {
      if (!isSend(call)) return undefined
      if (window.second !== Math.floor(second())) window = { second: Math.floor(second()), taken: 0 }
      if (window.taken >= share) return tooFast
      window.taken += 1
      return undefined
    })
    await finish(1_000)
    expect(await progress()).toMatchObject({ sent: mails, failed: 0 })
    expect(new Set(receivers()).size).toBe(mails)
    expect(receivers()).toHaveLength(mails)
    expect(mails / (second() * share)).toBeGreaterThanOrEqual(0.9)
    const calls = ses.calls.filter(isSend).length
    expect((calls - mails) / calls).toBeLessThan(0.2)
  }, 120_000)
})
