import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { type LocalCall, type LocalSesOptions, SesError } from '@posthorn/testkit/local-ses'
import { describe, expect, it } from 'vitest'
import { sesMailer } from '../src/index.js'
import { atEnd, awsOf, region, started } from './world.js'

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
  const progress = async () => (await core.campaigns.progress(project.scope, _id)).deliveries
  return {
    ses,
    core,
    progress,
    /** Works, second by second, until nobody is waiting. */
    finish: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await core.worker.runUntilIdle()
        const { queued, sending, uncertain } = await progress()
        if (queued + sending + uncertain === 0) return
        world.clock.advance(1_000)
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

  it('loses nobody and sends nobody twice over a minute in which SES is away', async () => {
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

  it('keeps to the rate that the account has, without one refusal', async () => {
    const { ses, progress, finish, receivers } = await aCampaign(100, { account: { maxSendRate: 14 } })
    await finish(60)
    expect(await progress()).toMatchObject({ sent: 100 })
    expect(new Set(receivers()).size).toBe(100)
    expect(ses.calls.filter(isSend)).toHaveLength(100)
  })

  it('waits without using up attempts while sending is paused, and goes on by itself', async () => {
    const { ses, progress, finish, receivers } = await aCampaign(20, { account: { maxSendRate: 5 } })
    await finish(2)
    ses.change({ sendingEnabled: false })
    await finish(600)
    expect((await progress()).queued).toBeGreaterThan(0)
    ses.change({ sendingEnabled: true })
    await finish(600)
    expect(await progress()).toMatchObject({ sent: 20, failed: 0 })
    expect(new Set(receivers()).size).toBe(20)
  })
})
