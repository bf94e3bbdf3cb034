import { createCore } from '@posthorn/core'
import { deferringMailerScript, inMemoryPorts, refusingMailerScript, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const news = { url: 'https://example.com/news', feedType: 'json', variableName: 'news', required: true }
const minute = 60_000

const start = async (readers: number) => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  await project.subscribe(readers)
  const { scope } = project
  await core.webhooks.set(scope, { url: 'https://a.example.com', secretKey: project.key, sent: true, failed: true })
  const { _id } = await core.campaigns.create(scope, {
    name: 'News',
    subject: 'News',
    type: 'text',
    document: 'News',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
  })
  const send = (given = {}) =>
    core.campaigns.update(scope, _id, {
      status: 'scheduled',
      scheduledTo: world.clock.now().toISOString(),
      ...given,
    })
  const idle = () => core.worker.runUntilIdle()
  return {
    ...world,
    core,
    project,
    scope,
    id: _id,
    send,
    idle,
    campaign: () => core.campaigns.get(scope, _id),
    deliveries: async () => (await core.campaigns.progress(scope, _id)).deliveries,
    run: async () => {
      const { dispatchId = '' } = (await world.ports.repositories.campaigns.get({ _id })) ?? {}
      return world.ports.repositories.dispatches.get({ _id: dispatchId })
    },
    log: (page = { skip: 0, limit: 10 }) => core.statistics.errorLog(scope, _id, page),
    told: async () =>
      (
        await world.ports.repositories.webhookDeliveries.list({
          where: {},
          sort: { by: 'createdAt', order: 'asc' },
          skip: 0,
          limit: 30,
        })
      ).items.map(({ type }) => type),
    totals: () => core.statistics.ofEmail(scope, 'campaigns', _id, { timeZone: 'UTC' }),
  }
}

describe('a campaign whose required feed fails', () => {
  it('fails as a campaign, without failed recipients', async () => {
    const { send, idle, campaign, deliveries, log, told, totals, project, mailer } = await start(3)
    await send({ feeds: [news] })
    await idle()
    expect(mailer.handed).toEqual([])
    const { status, errorMessage } = await campaign()
    expect([status, errorMessage]).toEqual(['error', expect.stringContaining('news')])
    expect(await deliveries()).toMatchObject({ excluded: 3, failed: 0 })
    expect(await project.credits()).toBe(10_000)
    expect(await told()).toEqual([])
    expect(await totals()).toMatchObject({ failed: 0 })
    expect(await log()).toMatchObject({
      items: [{ source: 'processing', recipient: '', errorName: 'DispatchStopped', errorMessage }],
      count: 1,
      unseenCount: 1,
    })
    expect((await log()).count).toBe(1)
  })

  it('is listed in the error log among failed recipients, on any page', async () => {
    const { send, idle, log, clock, mailer } = await start(5)
    const refused = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`reader${n}@example.com`, refusingMailerScript()]))
    mailer.answerTo(refused)
    await send()
    await idle()
    clock.advance(minute)
    await send({ feeds: [news] })
    await idle()
    clock.advance(minute)
    await send({ feeds: [] })
    await idle()
    const all = (await log({ skip: 0, limit: 30 })).items
    expect(all.map(({ recipient }) => recipient === '')).toEqual([
      ...Array(5).fill(false),
      true,
      ...Array(5).fill(false),
    ])
    for (let skip = 0; skip < 12; skip += 1)
      for (const limit of [1, 3]) {
        const page = await log({ skip, limit })
        expect([page.items, page.count]).toEqual([all.slice(skip, skip + limit), 11])
      }
  })
})

describe('a campaign with deferred recipients', () => {
  const greylisted = async () => {
    const world = await start(3)
    world.mailer.answerTo({ 'reader1@example.com': deferringMailerScript() })
    await world.send()
    await world.idle()
    return world
  }

  it('is sent when all others are done; the deferred ones continue in the background', async () => {
    const { campaign, deliveries, run, mailer, clock, idle, told } = await greylisted()
    expect((await campaign()).status).toBe('sent')
    expect(await deliveries()).toMatchObject({ sent: 2, queued: 1 })
    expect((await run())?.stage).toBe('finishing')
    mailer.answer(() => undefined)
    clock.advance(2 * minute)
    await idle()
    expect(await deliveries()).toMatchObject({ sent: 3, queued: 0 })
    expect((await run())?.stage).toBe('finished')
    expect((await campaign()).status).toBe('sent')
    expect(await told()).toEqual(['sent', 'sent', 'sent'])
  })

  it('can be changed, and stays sent if they finally fail', async () => {
    const { core, scope, id, campaign, deliveries, mailer, clock, idle, told, totals } = await greylisted()
    await core.campaigns.update(scope, id, { status: 'archive' })
    mailer.answer(refusingMailerScript())
    clock.advance(2 * minute)
    await idle()
    expect((await campaign()).status).toBe('archive')
    expect(await deliveries()).toMatchObject({ sent: 2, failed: 1 })
    expect((await told()).sort()).toEqual(['failed', 'sent', 'sent'])
    expect(await totals()).toMatchObject({ sent: 2, failed: 1 })
  })

  it('is not stopped for lack of progress, however long they wait', async () => {
    const { core, campaign, deliveries, mailer, clock } = await greylisted()
    await core.worker.start()
    await clock.pass(60 * minute)
    await core.worker.maintain()
    expect((await campaign()).status).toBe('sent')
    mailer.answer(() => undefined)
    await clock.pass(20 * minute)
    await core.worker.stop()
    expect(await deliveries()).toMatchObject({ sent: 3 })
  })

  it('is completed after a crash between the two steps', async () => {
    const world = await start(3)
    const { core, ports, mailer, campaign, run, id } = world
    mailer.answerTo({ 'reader1@example.com': deferringMailerScript() })
    const { campaigns } = ports.repositories
    const alive = { ...campaigns }
    await world.send()
    campaigns.change = () => Promise.reject(new Error('the process is gone'))
    await world.idle().catch(() => undefined)
    Object.assign(campaigns, alive)
    expect([(await campaign()).status, (await run())?.stage]).toEqual(['being-sent', 'finishing'])
    await core.worker.maintain()
    expect((await core.campaigns.get(world.scope, id)).status).toBe('sent')
  })

  it('can be stopped: those who wait get nothing', async () => {
    const { core, scope, id, mailer, clock, idle, deliveries, campaign } = await greylisted()
    await core.campaigns.stop(scope, id)
    mailer.answer(() => undefined)
    clock.advance(60 * minute)
    await idle()
    expect([(await campaign()).status, await deliveries()]).toMatchObject(['sent', { sent: 2, failed: 1 }])
  })

  it('can be retried for failed recipients while others are deferred', async () => {
    const world = await start(3)
    const { core, scope, id, mailer, clock, idle, deliveries, campaign, project } = world
    mailer.answerTo({ 'reader1@example.com': deferringMailerScript(), 'reader2@example.com': refusingMailerScript() })
    await world.send()
    await idle()
    mailer.answerTo({ 'reader1@example.com': deferringMailerScript() })
    expect(await core.campaigns.retryFailed(scope, id)).toBe(1)
    expect((await campaign()).status).toBe('being-sent')
    await idle()
    expect([(await campaign()).status, await deliveries()]).toMatchObject(['sent', { sent: 2, queued: 1 }])
    mailer.answer(() => undefined)
    clock.advance(5 * minute)
    await idle()
    expect(await deliveries()).toMatchObject({ sent: 3 })
    expect(await project.credits()).toBe(9_996)
  })

  it('can be sent again as a whole while they are deferred', async () => {
    const { send, idle, run, campaign, mailer, clock, ports } = await greylisted()
    const first = await run()
    clock.advance(10_000)
    await send()
    const second = await run()
    await idle()
    const stages = async () =>
      Promise.all(
        [first, second].map(async (one) => (await ports.repositories.dispatches.get({ _id: one?._id ?? '' }))?.stage),
      )
    expect([(await campaign()).status, await stages()]).toEqual(['sent', ['finishing', 'finishing']])
    mailer.answer(() => undefined)
    clock.advance(2 * minute)
    await idle()
    expect([(await campaign()).status, await stages(), mailer.sent.length]).toEqual([
      'sent',
      ['finished', 'finished'],
      6,
    ])
  })

  it('is not in error because an earlier run was stopped', async () => {
    const { send, idle, run, campaign, ports, clock, project, core } = await greylisted()
    const first = await run()
    clock.advance(10_000)
    await send()
    await ports.repositories.dispatches.change({ _id: first?._id ?? '' }, (one) => ({
      ...one,
      stage: 'stopped',
      errorMessage: 'stopped',
    }))
    clock.advance(2 * minute)
    await idle()
    await core.worker.maintain()
    expect((await campaign()).status).toBe('sent')
    expect(await project.credits()).toBeGreaterThan(9_990)
  })
})

describe('a relay that takes mails and breaks the connection before it answers', () => {
  it('gets a mail again at once, a third time later, and then not again', async () => {
    const { core, send, deliveries, campaign, mailer, clock } = await start(2)
    const at: number[] = []
    mailer.answer(({ to }) => {
      if (to !== 'reader1@example.com') return undefined
      at.push(clock.now().getTime())
      return { kind: 'unknown', error: { name: 'SmtpConnectionLost', message: 'connection lost' } }
    })
    await core.worker.start()
    await send()
    await clock.pass(60 * minute)
    await core.worker.stop()
    const waits = at.slice(1).map((time, index) => (time - (at[index] ?? 0)) / minute)
    expect(waits).toEqual([expect.closeTo(0.2, 0), expect.closeTo(2.5, 0)])
    expect([(await campaign()).status, await deliveries()]).toMatchObject(['sent', { sent: 1, failed: 1 }])
  })
})

describe('a relay that repeats the address in its reply', () => {
  it('gives one reason for all, without anybody’s address', async () => {
    const { core, scope, id, send, idle, mailer } = await start(3)
    mailer.answer(({ to }) => ({
      kind: 'refused',
      error: { name: '550', message: `5.1.1 <${to}>: user ${to} is unknown` },
    }))
    await send()
    await idle()
    const message = '5.1.1 <recipient>: user recipient is unknown'
    expect((await core.campaignReports.get(scope, id)).failures).toEqual([{ name: '550', message, count: 3 }])
    expect(await core.campaigns.retryFailed(scope, id, { reasons: [{ name: '550', message }] })).toBe(3)
  })
})

describe('a provider that answers with a page', () => {
  it('gives a reason that is its beginning', async () => {
    const { core, scope, id, send, idle, mailer } = await start(2)
    mailer.answer(refusingMailerScript(`422 Unprocessable: ${'<p>'.repeat(100_000)}`))
    await send()
    await idle()
    const [failure] = (await core.campaignReports.get(scope, id)).failures
    expect(failure).toMatchObject({ count: 2, message: expect.stringMatching(/^422 Unprocessable/) })
    expect(failure?.message.length).toBe(2_000)
  })
})

describe('a campaign whose relay takes nothing for now', () => {
  const refusedConnection = () =>
    ({ kind: 'deferred', error: { name: 'SmtpUnavailable', message: 'connection refused' }, throttled: false }) as const
  const down = async (readers: number, taken = 0) => {
    const world = await start(readers)
    let left = taken
    world.mailer.answer(() => {
      left -= 1
      return left >= 0 ? undefined : refusedConnection()
    })
    await world.send()
    await world.idle()
    return world
  }

  it.each([
    [3, 0],
    [30, 0],
    [30, 12],
  ])('is being sent while most of its %i mails wait, and says for what', async (readers, taken) => {
    const { core, scope, id } = await down(readers, taken)
    expect(await core.campaigns.progress(scope, id)).toMatchObject({
      status: 'being-sent',
      waitsFor: 'connection refused',
      deliveries: { sent: taken, queued: readers - taken },
    })
    await expect(core.campaigns.remove(scope, id)).rejects.toMatchObject({ kind: 'invalid' })
    await expect(core.campaigns.update(scope, id, { status: 'draft' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('sends to each once when it returns, however long that takes', async () => {
    const { core, campaign, deliveries, mailer, clock } = await down(30)
    await core.worker.start()
    await clock.pass(90 * minute)
    await core.worker.maintain()
    expect((await campaign()).status).toBe('being-sent')
    mailer.answer(() => undefined)
    await clock.pass(30 * minute)
    await core.worker.stop()
    expect(await deliveries()).toMatchObject({ sent: 30 })
    expect(mailer.sent).toHaveLength(30)
    expect((await campaign()).status).toBe('sent')
  })

  it('can be stopped meanwhile, and continued', async () => {
    const { core, scope, id, mailer, clock, idle, deliveries, campaign } = await down(30)
    await core.campaigns.stop(scope, id)
    mailer.answer(() => undefined)
    clock.advance(60 * minute)
    await idle()
    expect([(await campaign()).status, mailer.sent.length]).toEqual(['error', 0])
    await core.campaigns.resume(scope, id)
    await idle()
    expect([(await campaign()).status, await deliveries()]).toMatchObject(['sent', { sent: 30 }])
  })
})
