import { createCore } from '@posthorn/core'
import { creditCounterKey } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject, scriptedFeeds } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async (changes: Parameters<typeof inMemoryPorts>[0] = {}) => {
  const world = inMemoryPorts(changes)
  const core = createCore(world.ports)
  return { ...world, core, project: await sampleProject(core) }
}

type World = Awaited<ReturnType<typeof start>>

const past = '2025-11-30T11:00:00Z'

const sendNow = ({ core, project }: World, changes: Record<string, unknown> = {}) =>
  core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'Hello {{contact.name}}',
    type: 'html',
    document: '<p>Dear {{contact.name}}, <a href="{{unsubscribeLink}}">leave</a></p>',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: past,
    ...changes,
  })

describe('a campaign scheduled in the past', () => {
  it('is sent to every active subscriber once, for one credit each', async () => {
    const world = await start()
    const { core, project, mailer } = world
    await project.subscribe(7)
    const { _id, status } = await sendNow(world)
    expect(status).toBe('being-sent')
    await core.worker.runUntilIdle()
    expect(mailer.sent.map((mail) => mail.to).sort()).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((n) => `reader${n}@example.com`),
    )
    expect(mailer.sent[0]?.mime).toContain('Subject: Hello Reader 1\r\n')
    expect((await core.campaigns.get(project.scope, _id)).status).toBe('sent')
    expect(await project.credits()).toBe(9_993)
  })

  it('is sent with zero recipients if nobody is left', async () => {
    const world = await start()
    const { _id } = await sendNow(world)
    await world.core.worker.runUntilIdle()
    expect(await world.core.campaigns.get(world.project.scope, _id)).toMatchObject({ status: 'sent' })
    expect(world.mailer.sent).toEqual([])
  })

  it('excludes recipients who unsubscribed, paused or were suppressed since, with reason and refund', async () => {
    const world = await start()
    const { core, project, mailer } = world
    const { scope, list } = project
    await project.subscribe(5)
    const { _id } = await sendNow(world)
    await core.subscribers.update(scope, list._id, 'reader1@example.com', { status: 'unsubscribed' })
    await core.subscribers.update(scope, list._id, 'reader2@example.com', {
      status: 'paused',
      pausedUntil: '2026-02-01',
    })
    await core.suppressions.create(scope, { email: 'READER3@example.com' })
    await core.worker.runUntilIdle()
    expect(mailer.sent.map((mail) => mail.to)).toEqual(['reader4@example.com', 'reader5@example.com'])
    const { excluded, deliveries } = await core.campaigns.progress(scope, _id)
    expect(excluded).toEqual({ suppressed: 1 })
    expect(deliveries).toMatchObject({ sent: 2, excluded: 1 })
    expect(await project.credits()).toBe(9_998)
  })

  it('is refused without credit for everyone, and stores nothing', async () => {
    const world = await start()
    const { core, ports } = world
    const poor = await sampleProject(core, { credits: 2, name: 'Poor' })
    await poor.subscribe(3)
    await expect(sendNow({ ...world, project: poor })).rejects.toThrow('Insufficient credits available')
    expect(
      (await ports.repositories.campaigns.list({ where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 }))
        .count,
    ).toBe(0)
  })

  it('stops with an error if a required feed fails, and returns all credit', async () => {
    const world = await start({ feedReader: scriptedFeeds() })
    const { core, project, mailer } = world
    await project.subscribe(3)
    const { _id } = await sendNow(world, {
      feeds: [{ url: 'https://example.com/news', feedType: 'json', variableName: 'news', required: true }],
    })
    await core.worker.runUntilIdle()
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({
      status: 'error',
      errorMessage: 'The feed news could not be read: https://example.com/news cannot be reached',
    })
    expect(mailer.sent).toEqual([])
    expect(await project.credits()).toBe(10_000)
  })

  it('returns credit for recipients not yet added when it is stopped', async () => {
    const world = await start()
    const { core, ports, project } = world
    await project.subscribe(600)
    const { _id } = await sendNow(world, {
      feeds: [{ url: 'https://example.com/news', feedType: 'json', variableName: 'news', required: true }],
    })
    const { dispatchId = '' } = (await ports.repositories.campaigns.get({ _id })) ?? {}
    const dispatch = await ports.repositories.dispatches.get({ _id: dispatchId })
    expect([dispatch?.stage, dispatch?.creditsHeld, await project.credits()]).toEqual(['expanding', 600, 9_400])
    await core.worker.runUntilIdle()
    expect(await project.credits()).toBe(10_000)
  })

  it('retries deferred mails later, and fails refused ones', async () => {
    const world = await start()
    const { core, project, mailer, clock } = world
    await project.subscribe(3)
    mailer.answer(({ to }) => {
      if (to === 'reader1@example.com') return { kind: 'refused', error: { name: '550', message: 'No such user' } }
      return to === 'reader2@example.com' && clock.now().getMinutes() === 0
        ? { kind: 'deferred', throttled: false, error: { name: '451', message: 'Try later' } }
        : undefined
    })
    const { _id } = await sendNow(world)
    await core.worker.runUntilIdle()
    expect((await core.campaigns.progress(project.scope, _id)).deliveries).toMatchObject({
      failed: 1,
      queued: 1,
      sent: 1,
    })
    clock.advance(2 * 60_000)
    await core.worker.runUntilIdle()
    expect(await core.campaigns.progress(project.scope, _id)).toMatchObject({
      status: 'sent',
      deliveries: { failed: 1, sent: 2 },
    })
  })

  it('can be retried for failed recipients, for new credit', async () => {
    const world = await start()
    const { core, project, mailer } = world
    await project.subscribe(2)
    mailer.answer(({ to }) =>
      to === 'reader1@example.com' ? { kind: 'refused', error: { name: '550', message: 'No' } } : undefined,
    )
    const { _id } = await sendNow(world)
    await core.worker.runUntilIdle()
    mailer.answer(() => undefined)
    expect(await core.campaigns.retryFailed(project.scope, _id)).toBe(1)
    await core.worker.runUntilIdle()
    expect(mailer.sent.map((mail) => mail.to)).toEqual(['reader2@example.com', 'reader1@example.com'])
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({ status: 'sent' })
    expect(await project.credits()).toBe(9_997)
  })

  it('can be retried as often as they fail', async () => {
    const world = await start()
    const { core, project, mailer } = world
    await project.subscribe(1)
    mailer.answer(() => ({ kind: 'refused', error: { name: '550', message: 'No' } }))
    const { _id } = await sendNow(world)
    for (const credits of [9_999, 9_998, 9_997]) {
      await core.worker.runUntilIdle()
      expect(await core.campaigns.get(project.scope, _id)).toMatchObject({ status: 'sent' })
      expect(await project.credits()).toBe(credits)
      expect(await core.campaigns.retryFailed(project.scope, _id)).toBe(1)
    }
  })

  it('takes credit once for concurrent retries', async () => {
    const world = await start()
    const { core, project, mailer } = world
    await project.subscribe(3)
    mailer.answer(() => ({ kind: 'refused', error: { name: '550', message: 'No' } }))
    const { _id } = await sendNow(world)
    await core.worker.runUntilIdle()
    mailer.answer(() => undefined)
    const tries = await Promise.allSettled([1, 2, 3].map(() => core.campaigns.retryFailed(project.scope, _id)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toEqual([{ status: 'fulfilled', value: 3 }])
    expect(tries.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []))).toEqual(
      Array(2).fill('The campaign is being sent. Retry when it has ended.'),
    )
    await core.worker.runUntilIdle()
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({ status: 'sent' })
    expect([mailer.sent.length, await project.credits()]).toEqual([3, 9_994])
  })

  it('stays unchanged if there is no credit for a retry', async () => {
    const world = await start()
    const { core, ports, project, mailer } = world
    await project.subscribe(2)
    mailer.answer(() => ({ kind: 'refused', error: { name: '550', message: 'No' } }))
    const { _id } = await sendNow(world)
    await core.worker.runUntilIdle()
    const [account] = await core.accounts.list()
    await ports.repositories.accounts.change({ _id: account?._id ?? '' }, (one) => ({ ...one, creditGranted: 3 }))
    await expect(core.campaigns.retryFailed(project.scope, _id)).rejects.toThrow('Insufficient credits available')
    expect(await core.campaigns.progress(project.scope, _id)).toMatchObject({
      status: 'sent',
      deliveries: { failed: 2 },
    })
    expect(await ports.counters.used(creditCounterKey(account?._id ?? ''))).toBe(2)
  })
})

describe('a campaign scheduled in the future', () => {
  it('starts at its time, by its job, once', async () => {
    const world = await start()
    const { core, project, jobs, clock, mailer } = world
    await project.subscribe(2)
    const { _id, status } = await sendNow(world, { scheduledTo: '2026-01-06T15:00:00', timeZone: 'Europe/Vienna' })
    expect(status).toBe('scheduled')
    expect(jobs.waiting().map(({ when }) => when.toISOString())).toEqual(['2026-01-06T14:00:00.000Z'])
    clock.advance(2 * 60 * 60_000)
    await jobs.runDue()
    await core.worker.maintain()
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(2)
    expect((await core.campaigns.get(project.scope, _id)).status).toBe('sent')
  })

  it('is sent at once if its time is moved into the past', async () => {
    const world = await start()
    const { core, project, mailer, jobs } = world
    await project.subscribe(1)
    const { _id } = await sendNow(world, { scheduledTo: '2026-01-07T14:00:00Z' })
    const { status } = await core.campaigns.update(project.scope, _id, { scheduledTo: '2025-01-01T00:00:00Z' })
    await core.worker.runUntilIdle()
    expect([status, mailer.sent.length]).toEqual(['being-sent', 1])
    await jobs.runDue()
    expect((await core.campaigns.get(project.scope, _id)).status).toBe('sent')
  })

  it('is not sent after it became a draft', async () => {
    const world = await start()
    const { core, project, mailer, jobs, clock } = world
    await project.subscribe(1)
    const { _id } = await sendNow(world, { scheduledTo: '2026-01-07T14:00:00Z' })
    await core.campaigns.update(project.scope, _id, { status: 'draft' })
    expect(jobs.waiting()).toEqual([])
    clock.advance(48 * 60 * 60_000)
    await core.worker.maintain()
    await core.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
  })

  it('is started by the sweep if its job is lost', async () => {
    const world = await start()
    const { core, project, clock, mailer } = world
    await project.subscribe(1)
    await sendNow(world, { scheduledTo: '2026-01-06T14:00:00Z' })
    clock.advance(3 * 60 * 60_000)
    await core.worker.maintain()
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(1)
  })

  it('becomes an error if it is more than six hours late', async () => {
    const world = await start()
    const { core, project, clock, mailer } = world
    await project.subscribe(1)
    const { _id } = await sendNow(world, { scheduledTo: '2026-01-06T14:00:00Z' })
    clock.advance(8.5 * 60 * 60_000)
    await core.worker.maintain()
    await core.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('within 6 hours'),
    })
  })
})

describe('a worker that dies', () => {
  it('loses no delivery: another worker sends them after the lease expires', async () => {
    const world = await start()
    const { core, ports, project, mailer, clock } = world
    await project.subscribe(5)
    const { _id } = await sendNow(world)
    mailer.answer(() => new Promise(() => {}))
    void core.worker.runUntilIdle()
    await new Promise((resolve) => setTimeout(resolve, 50))
    mailer.answer(() => undefined)
    const other = createCore({ ...ports, settings: { ...ports.settings, workerName: 'worker-2' } })
    await other.worker.runUntilIdle()
    expect(mailer.sent).toEqual([])
    clock.advance(61_000)
    await other.worker.runUntilIdle()
    expect(mailer.sent.map((mail) => mail.to).sort()).toEqual([1, 2, 3, 4, 5].map((n) => `reader${n}@example.com`))
    expect((await other.campaigns.get(project.scope, _id)).status).toBe('sent')
  })
})

describe('a project in the sandbox', () => {
  it('sends one mail a second and a hundred a day', async () => {
    const { core, clock, mailer } = await start()
    const sandbox = await sampleProject(core, { production: false, name: 'Sandbox' })
    const email = await core.transactionalEmails.create(sandbox.scope, {
      name: 'Receipt',
      subject: 'Receipt',
      type: 'text',
      document: 'Thanks',
    })
    const send = () => core.sends.transactional(sandbox.scope, { email: 'ada@example.com', transactionalId: email._id })
    for (let n = 0; n < 100; n += 1) await send()
    await expect(send()).rejects.toThrow('Daily sandbox limit exceeded')
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(1)
    clock.advance(1000)
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(2)
    clock.advance(24 * 60 * 60_000)
    await send()
  })
})
