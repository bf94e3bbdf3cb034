import { createCore } from '@posthorn/core'
import { creditCounterKey } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const hour = 60 * 60_000
const later = '2026-02-01T12:00:00Z'
const past = '2025-01-01T00:00:00Z'

const start = async ({ readers = 3, credits = 10 } = {}) => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const project = await sampleProject(core, { credits })
  await project.subscribe(readers)
  const { scope } = project
  const campaign = (given = {}) =>
    core.campaigns.create(scope, {
      name: 'News',
      subject: 'News',
      type: 'text',
      document: 'News',
      timeZone: 'UTC',
      subscriberListId: project.list._id,
      ...given,
    })
  const update = (id: string, given: object) => core.campaigns.update(scope, id, given)
  const at = async (time: string) => {
    world.clock.advance(Date.parse(time) - world.clock.now().getTime())
    await core.worker.maintain()
    await core.worker.runUntilIdle()
  }
  return {
    ...world,
    core,
    project,
    scope,
    campaign,
    schedule: (given = {}) => campaign({ status: 'scheduled', scheduledTo: later, ...given }),
    update,
    at,
    credits: project.credits,
  }
}

describe('a schedule', () => {
  it('holds the credit of its whole audience', async () => {
    const { schedule, campaign, update, credits, at, mailer } = await start({ credits: 5 })
    await schedule()
    expect(await credits()).toBe(2)
    const { _id } = await campaign()
    await expect(update(_id, { status: 'scheduled', scheduledTo: later })).rejects.toThrow('Insufficient credits')
    expect(await credits()).toBe(2)
    await at(later)
    expect([mailer.sent.length, await credits()]).toEqual([3, 2])
  })

  it.each(['draft', 'archive'])('returns it when the campaign becomes a %s', async (status) => {
    const { schedule, update, credits } = await start()
    const { _id } = await schedule()
    await update(_id, { status })
    expect(await credits()).toBe(10)
  })

  it('returns it when the campaign is deleted', async () => {
    const { schedule, core, scope, credits } = await start()
    const { _id } = await schedule()
    await core.campaigns.remove(scope, _id)
    expect(await credits()).toBe(10)
  })

  it('holds only the difference for another audience', async () => {
    const { schedule, update, credits, core, scope } = await start({ credits: 4 })
    const other = await core.subscriberLists.create(scope, { name: 'Four' })
    for (const n of [1, 2, 3, 4])
      await core.subscribers.subscribe(scope, other._id, { email: `other${n}@example.com`, status: 'active' })
    const { _id } = await schedule()
    await update(_id, { subscriberListId: other._id })
    expect(await credits()).toBe(0)
    await core.subscribers.subscribe(scope, other._id, { email: 'other5@example.com', status: 'active' })
    const list = (await core.campaigns.get(scope, _id)).subscriberListId
    expect(list).toBe(other._id)
    const third = await core.subscriberLists.create(scope, { name: 'One' })
    await update(_id, { subscriberListId: third._id })
    expect(await credits()).toBe(4)
  })

  it('holds the same when only time or name change', async () => {
    const { schedule, update, credits } = await start({ credits: 3 })
    const { _id } = await schedule()
    await update(_id, { scheduledTo: '2026-02-02T12:00:00Z', name: 'Later' })
    expect(await credits()).toBe(0)
  })

  it('keeps its credit if a change is refused', async () => {
    const { schedule, update, credits } = await start()
    const { _id } = await schedule()
    await expect(update(_id, { subscriberListId: '0'.repeat(24) })).rejects.toThrow('not found')
    expect(await credits()).toBe(7)
  })

  it('also pays for recipients who joined before the start, as far as credit suffices', async () => {
    const { schedule, core, scope, project, credits, at, mailer } = await start({ credits: 4 })
    const { _id } = await schedule()
    for (const n of [7, 8])
      await core.subscribers.subscribe(scope, project.list._id, { email: `late${n}@example.com`, status: 'active' })
    await at(later)
    const { status, deliveries, excluded } = await core.campaigns.progress(scope, _id)
    expect([status, deliveries.sent, excluded]).toEqual(['sent', 4, { 'no-credit': 1 }])
    expect([mailer.sent.length, await credits()]).toEqual([4, 0])
  })

  it('returns the credit of recipients who left', async () => {
    const { schedule, core, scope, project, credits, at } = await start()
    await schedule()
    await core.subscribers.update(scope, project.list._id, 'reader1@example.com', { status: 'unsubscribed' })
    await at(later)
    expect(await credits()).toBe(8)
  })

  it('returns it if the campaign cannot start', async () => {
    const { schedule, core, scope, project, credits, at } = await start()
    const { _id } = await schedule()
    await core.restriction.restrict(project.project._id, { reason: 'spam' })
    await at(later)
    expect([(await core.campaigns.get(scope, _id)).status, await credits()]).toEqual(['error', 10])
  })

  it('returns it if the campaign is found a day late', async () => {
    const { schedule, core, scope, credits, at } = await start()
    const { _id } = await schedule()
    await at('2026-02-02T12:00:00Z')
    expect([(await core.campaigns.get(scope, _id)).status, await credits()]).toEqual(['error', 10])
  })

  it('that starts at once takes its credit once', async () => {
    const { schedule, core, credits } = await start()
    await schedule({ scheduledTo: past })
    expect(await credits()).toBe(7)
    await core.worker.runUntilIdle()
    expect(await credits()).toBe(7)
  })
})

type World = Awaited<ReturnType<typeof start>>

/** Makes the n-th write from now on fail for good, as a process that dies there does. */
const dying = async (world: World, n: number, act: () => Promise<unknown>) => {
  const { campaigns } = world.ports.repositories
  const { deliveries } = world.ports
  const before = { campaigns: { ...campaigns }, deliveries: { ...deliveries } }
  let writes = 0
  const alive = <R>(write: () => Promise<R>): Promise<R> => {
    writes += 1
    return writes > n ? Promise.reject(new Error('the process is gone')) : write()
  }
  Object.assign(campaigns, {
    add: (record) => alive(() => before.campaigns.add(record)),
    change: (where, decide) => alive(() => before.campaigns.change(where, decide)),
    remove: (where) => alive(() => before.campaigns.remove(where)),
  } satisfies Partial<typeof campaigns>)
  Object.assign(deliveries, {
    hold: (holding) => alive(() => before.deliveries.hold(holding)),
    release: (...asked) => alive(() => before.deliveries.release(...asked)),
    accept: (acceptance) => alive(() => before.deliveries.accept(acceptance)),
    expand: (expansion) => alive(() => before.deliveries.expand(expansion)),
  } satisfies Partial<typeof deliveries>)
  await act().catch(() => undefined)
  Object.assign(campaigns, before.campaigns)
  Object.assign(deliveries, before.deliveries)
}

const act = fc.record({
  what: fc.constantFrom('create', 'schedule', 'draft', 'move', 'remove', 'start', 'subscribe', 'leave'),
  which: fc.nat(2),
  /** After so many writes the process dies; mostly it does not. */
  writes: fc.oneof({ weight: 2, arbitrary: fc.constant(99) }, { weight: 1, arbitrary: fc.nat(3) }),
})

it('held credit is neither lost nor created, for any schedule and any crash', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
      const world = await start({ readers: 2, credits: 9 })
      const { core, scope, project, clock, ports, update } = world
      const other = await core.subscriberLists.create(scope, { name: 'Other' })
      const key = creditCounterKey(project.account._id)
      const ids = async () => (await core.campaigns.list(scope, { limit: 30, skip: 0 })).items.map(({ _id }) => _id)
      const soon = () => new Date(clock.now().getTime() + hour).toISOString()
      let n = 0
      const run = async (what: string, which: number) => {
        n += 1
        const all = await ids()
        const id = all[which % Math.max(1, all.length)] ?? 'none'
        if (what === 'create') return world.schedule({ scheduledTo: soon() })
        if (what === 'schedule') return update(id, { status: 'scheduled', scheduledTo: soon() })
        if (what === 'draft') return update(id, { status: 'draft' })
        if (what === 'move') return update(id, { subscriberListId: which === 0 ? other._id : project.list._id })
        if (what === 'remove') return core.campaigns.remove(scope, id)
        if (what === 'subscribe')
          return core.subscribers.subscribe(scope, which === 0 ? other._id : project.list._id, {
            email: `more${n}@example.com`,
            status: 'active',
          })
        if (what === 'leave')
          return core.subscribers.update(scope, project.list._id, 'reader1@example.com', { status: 'unsubscribed' })
        clock.advance(hour)
        await core.worker.maintain()
        return core.worker.runUntilIdle()
      }
      for (const { what, which, writes } of acts) {
        await dying(world, writes, () => run(what, which))
        expect(await ports.counters.used(key)).toBeLessThanOrEqual(9)
      }
      for (let round = 0; round < 3; round += 1) {
        clock.advance(hour)
        await core.worker.maintain()
        await core.worker.runUntilIdle()
      }
      clock.advance(7 * hour)
      await core.worker.maintain()
      await core.worker.runUntilIdle()
      expect(await ports.counters.used(key)).toBe(world.mailer.sent.length)
    }),
    {
      numRuns: 150,
      examples: [
        [
          [
            { what: 'create', which: 0, writes: 2 },
            { what: 'subscribe', which: 1, writes: 99 },
            { what: 'start', which: 0, writes: 2 },
          ],
        ],
      ],
    },
  )
})
