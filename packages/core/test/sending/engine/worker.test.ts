import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

const started = async (settings: { mailRatePerSecond?: number } = {}) => {
  const { ports, ...world } = inMemoryPorts()
  const core = createCore({ ...ports, settings: { ...ports.settings, ...settings } })
  const project = await sampleProject(core)
  await core.worker.start()
  running.push(core.worker)
  const campaign = () =>
    core.campaigns.create(project.scope, {
      name: 'News',
      subject: 'News',
      type: 'text',
      document: 'Hello',
      timeZone: 'UTC',
      subscriberListId: project.list._id,
      status: 'scheduled',
      scheduledTo: '2025-01-01T00:00:00Z',
    })
  return { ...world, ports, core, project, campaign }
}

describe('a worker', () => {
  it('sends nothing while it is paused, and continues when resumed', async () => {
    const { core, project, campaign, clock, mailer } = await started()
    await project.subscribe(3)
    core.worker.pause()
    await campaign()
    await clock.pass(10_000)
    expect([mailer.sent.length, core.worker.isPaused()]).toEqual([0, true])
    core.worker.resume()
    await clock.passUntil(() => mailer.sent.length === 3)
  })

  it('renews its leases during a long reclaim', async () => {
    const { ports, clock, mailer } = inMemoryPorts()
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const leases: string[] = []
    const deliveries: typeof ports.deliveries = {
      ...ports.deliveries,
      reclaim: () => released.then(() => ({ lost: 0, queued: 0 })),
      renew: (ids, worker, until) => {
        leases.push(until)
        return ports.deliveries.renew(ids, worker, until)
      },
    }
    const core = createCore({ ...ports, deliveries })
    const project = await sampleProject(core)
    const email = await core.transactionalEmails.create(project.scope, {
      name: 'Code',
      subject: 'Code',
      type: 'text',
      document: '1',
    })
    mailer.answer(() => released.then(() => undefined))
    await core.worker.start()
    running.push(core.worker)
    await core.sends.transactional(project.scope, { email: 'slow@example.com', transactionalId: email._id })
    await clock.pass(60_000)
    expect(leases.length).toBeGreaterThan(3)
    release()
    await clock.passUntil(() => mailer.sent.length === 1)
  })

  it('claims its deferred deliveries when due, whatever the poll interval', async () => {
    const { ports, clock, mailer } = inMemoryPorts()
    let notBefore = ''
    const deliveries: typeof ports.deliveries = {
      ...ports.deliveries,
      settle: (settlements) => {
        notBefore = settlements[0]?.notBefore ?? notBefore
        return ports.deliveries.settle(settlements)
      },
    }
    const core = createCore({ ...ports, deliveries })
    const project = await sampleProject(core)
    const content = { name: 'Code', subject: 'Code', type: 'text', document: '1' } as const
    const email = await core.transactionalEmails.create(project.scope, content)
    let tries = 0
    mailer.answer(() => {
      tries += 1
      return tries === 1
        ? { kind: 'deferred', throttled: false, error: { name: '451', message: 'Try later' } }
        : undefined
    })
    await core.worker.start()
    running.push(core.worker)
    await core.sends.transactional(project.scope, { email: 'ada@example.com', transactionalId: email._id })
    await clock.passUntil(() => notBefore !== '')
    await clock.pass(Date.parse(notBefore) - clock.now().getTime() - 300)
    expect(tries).toBe(1)
    await clock.pass(900)
    expect(tries).toBe(2)
  })

  it('keeps one rate for all mails, with a tenth reserved for transactional mail until late in each second', async () => {
    const { core, project, campaign, clock, mailer } = await started({ mailRatePerSecond: 10 })
    await project.subscribe(60)
    const email = await core.transactionalEmails.create(project.scope, {
      name: 'Code',
      subject: 'Code',
      type: 'text',
      document: '1',
    })
    await campaign()
    await clock.pass(2_000)
    const bulk = mailer.sent.length
    expect(bulk).toBeGreaterThan(9)
    expect(bulk).toBeLessThanOrEqual(30)
    await core.sends.transactional(project.scope, { email: 'now@example.com', transactionalId: email._id })
    await clock.pass(1_000)
    expect(mailer.sent.map(({ to }) => to)).toContain('now@example.com')
    expect(mailer.sent.length).toBeLessThan(60)
    await clock.passUntil(() => mailer.sent.length === 61)
  })

  it('slows down when throttled, loses nothing, and counts no attempts', async () => {
    const { ports, project, campaign, clock, mailer } = await started()
    await project.subscribe(40)
    let refusals = 15
    mailer.answer(() => {
      refusals -= 1
      return refusals >= 0
        ? { kind: 'deferred', throttled: true, error: { name: '454', message: 'Too fast' } }
        : undefined
    })
    const { _id } = await campaign()
    await clock.passUntil(() => mailer.sent.length === 40)
    const { dispatchId = '' } = (await ports.repositories.campaigns.get({ _id })) ?? {}
    await clock.passUntil(async () => (await ports.repositories.campaigns.get({ _id }))?.status === 'sent')
    for await (const delivery of ports.deliveries.each(dispatchId, 'sent')) expect(delivery.attempts).toBe(1)
  })

  it('finishes mails in flight when stopped, and leaves the rest to others', async () => {
    const { core, ports, project, campaign, clock, mailer } = await started()
    await project.subscribe(30)
    const letGo: (() => void)[] = []
    mailer.answer(() => new Promise((resolve) => letGo.push(() => resolve(undefined))))
    const { _id } = await campaign()
    await clock.passUntil(() => letGo.length > 0)
    const stopped = core.worker.stop()
    const begun = letGo.length
    for (const go of letGo) go()
    await stopped
    const { deliveries } = await core.campaigns.progress(project.scope, _id)
    expect(deliveries).toMatchObject({ sent: begun, sending: 0, uncertain: 0 })
    mailer.answer(() => undefined)
    const other = createCore({ ...ports, settings: { ...ports.settings, workerName: 'worker-2' } })
    await other.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(30)
    expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(30)
  })

  it('fails a campaign without progress for half an hour', async () => {
    const { core, project, campaign, clock, mailer } = await started()
    await project.subscribe(2)
    mailer.answer(() => new Promise(() => {}))
    const { _id } = await campaign()
    await clock.pass(35 * 60_000)
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({
      status: 'error',
      errorMessage: 'No progress for 30 minutes.',
    })
    running.splice(0)
  })

  it('keeps a campaign waiting while its channel’s rate is 0, shows why, and continues the next day', async () => {
    const { core, project, campaign, clock, mailer } = await started()
    await project.subscribe(30)
    let left = 10
    mailer.ratePerSecond = async () => (left > 0 ? 5 : 0)
    mailer.waitsFor = async () => 'The account has sent 10 of 10 mails.'
    mailer.answer(() => {
      left -= 1
      return left >= 0 ? undefined : { kind: 'deferred', throttled: true, error: { name: '454', message: 'Too fast' } }
    })
    const { _id } = await campaign()
    await clock.pass(40 * 60_000)
    expect(await core.campaigns.progress(project.scope, _id)).toMatchObject({
      status: 'being-sent',
      waitsFor: 'The account has sent 10 of 10 mails.',
      deliveries: { sent: 10, queued: 20 },
    })
    clock.advance(23 * 60 * 60_000)
    await clock.pass(5 * 60_000)
    left = 100
    await clock.passUntil(async () => (await core.campaigns.get(project.scope, _id)).status !== 'being-sent')
    const progress = await core.campaigns.progress(project.scope, _id)
    expect(progress).toMatchObject({ status: 'sent', deliveries: { sent: 30 } })
    expect(progress.waitsFor).toBeUndefined()
    expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(30)
    expect(mailer.sent).toHaveLength(30)
  })

  it('keeps a campaign waiting while other mails use its channel’s rate for over half an hour', async () => {
    const { core, project, campaign, clock } = await started({ mailRatePerSecond: 1 })
    await project.subscribe(2_100)
    const first = await campaign()
    await clock.pass(1_000)
    const second = await campaign()
    const statuses = async () => {
      const both = [first, second].map(({ _id }) => core.campaigns.get(project.scope, _id))
      return (await Promise.all(both)).map(({ status }) => status)
    }
    await clock.pass(33 * 60_000)
    expect(await statuses()).toEqual(['being-sent', 'being-sent'])
  })

  it('continues a campaign after its machine was suspended for an hour', async () => {
    const { core, project, campaign, clock, mailer } = await started()
    await project.subscribe(2)
    const letGo: (() => void)[] = []
    mailer.answer(() => new Promise((resolve) => letGo.push(() => resolve(undefined))))
    const { _id } = await campaign()
    await clock.passUntil(() => letGo.length > 0)
    clock.advance(60 * 60_000)
    await core.worker.maintain()
    mailer.answer(() => undefined)
    for (const go of letGo) go()
    await clock.passUntil(async () => (await core.campaigns.get(project.scope, _id)).status !== 'being-sent')
    expect((await core.campaigns.get(project.scope, _id)).status).toBe('sent')
  })

  it('releases deliveries that it could not start during an outage, and sends none twice', async () => {
    const { ports, clock, mailer } = inMemoryPorts()
    const { contacts } = ports.repositories
    let [lookUps, away] = [0, false]
    const deliveries = new Proxy(ports.deliveries, {
      get: (target, name) => {
        if (away) throw new Error('The store is away')
        return Reflect.get(target, name) as unknown
      },
    })
    /** Goes away with the store while another round has outcomes to record. */
    const goingAway = async function* () {
      await clock.sleep(30)
      away = true
      yield* []
      throw new Error('The store is away')
    }
    const each: typeof contacts.each = (where) => {
      lookUps += 1
      return lookUps === 1 ? goingAway() : contacts.each(where)
    }
    const repositories = { ...ports.repositories, contacts: { ...contacts, each } }
    // What the pace does not let go at once is queued, claimed and looked up while the first mails are on their way.
    const settings = { ...ports.settings, mailRatePerSecond: 200 }
    const core = createCore({ ...ports, repositories, deliveries, settings })
    const project = await sampleProject(core)
    await project.subscribe(450)
    mailer.answer(() => clock.sleep(100).then(() => undefined))
    lookUps = 0
    await core.worker.start()
    running.push(core.worker)
    const { _id } = await core.campaigns.create(project.scope, {
      name: 'News',
      subject: 'News',
      type: 'text',
      document: 'Hello',
      timeZone: 'UTC',
      subscriberListId: project.list._id,
      status: 'scheduled',
      scheduledTo: '2025-01-01T00:00:00Z',
    })
    await clock.passUntil(() => away)
    await clock.pass(10_000)
    away = false
    const settled = async () => {
      const { deliveries } = await core.campaigns.progress(project.scope, _id)
      return deliveries.sent === 450
    }
    await clock.passUntil(settled, 120_000)
    expect(mailer.sent).toHaveLength(450)
    expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(450)
  })
})
