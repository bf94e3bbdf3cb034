import { createCore, type ImportRowResult, Refusal, type Scope } from '@posthorn/core'
import { collected } from '@posthorn/core/ports/storage'
import { aContact, aSubscriber, aSubscriberList, inMemoryPorts, numberedId, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const email = 'ada@example.com'

const start = async () => {
  const { ports, jobs, lines } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  const other = await core.subscriberLists.create(scope, { name: 'Other' })
  const form = await core.signupForms.create(scope, {
    name: 'Form',
    captchaType: 'none',
    subscriberListIds: [list._id, other._id],
  })
  return { core, ports, jobs, lines, scope, lists: [list._id, other._id] as const, form: form._id }
}
type World = Awaited<ReturnType<typeof start>>

const ways = {
  subscribe: ({ core, scope, lists }: World) => core.subscribers.subscribe(scope, lists[0], { email }),
  'subscribe to another': ({ core, scope, lists }: World) => core.subscribers.subscribe(scope, lists[1], { email }),
  'sign up': ({ core, scope, form }: World) => core.signupForms.submit({ ...scope, caller: 'origin' }, form, { email }),
  leave: ({ core, scope, lists }: World) => core.subscribers.update(scope, lists[0], email, { status: 'unsubscribed' }),
  import: async ({ core, scope, lists }: World) => {
    const results: ImportRowResult[] = []
    const rows = [{ line: 1, values: { email } }]
    for await (const one of core.contacts.import(scope, rows, { subscriberListId: lists[0] })) results.push(one)
    return results
  },
  'remove the contact': ({ core, scope }: World) => core.contacts.remove(scope, email),
  'remove the list': ({ core, scope, lists }: World) => core.subscriberLists.remove(scope, lists[1]),
} as const
type Way = keyof typeof ways

/** What does not agree: memberships without contact or list, and lists whose items, count and stats differ. */
const faultsIn = async ({ core, ports, scope }: World): Promise<readonly unknown[]> => {
  const { subscribers, contacts, subscriberLists } = ports.repositories
  const faults: unknown[] = []
  for (const { contactId, subscriberListId } of await collected(subscribers.each({}))) {
    if (!(await contacts.get({ _id: contactId }))) faults.push({ contactId })
    if (!(await subscriberLists.get({ _id: subscriberListId }))) faults.push({ subscriberListId })
  }
  for (const { _id } of await collected(subscriberLists.each({ projectId: scope.projectId }))) {
    const { items, count } = await core.subscribers.list(scope, _id, { limit: 30, skip: 0 })
    const { active, paused, unsubscribed, unverified } = await core.subscriberLists.stats(scope, _id)
    const people = active + paused + unsubscribed + unverified
    if (count !== items.length || people !== count) faults.push({ items: items.length, count, people })
  }
  return faults
}

const tolerant = async (work: Promise<unknown>) => {
  await work.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
  })
}

describe('a contact removed while it is being subscribed', () => {
  it('exists with its memberships, or not at all', async () => {
    const some = fc.array(fc.constantFrom(...(Object.keys(ways) as Way[])), { minLength: 2, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(fc.boolean(), some, async (isKnown, begun) => {
        const world = await start()
        if (isKnown) await ways.subscribe(world)
        await Promise.all(begun.map((way) => tolerant(Promise.resolve(ways[way](world)))))
        expect(await faultsIn(world)).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  it('is created again with a new id if the removal came first', async () => {
    const world = await start()
    const { core, scope, lists, ports } = world
    const before = await core.contacts.create(scope, { email })
    const { membershipStore } = ports
    const racing = createCore({
      ...ports,
      membershipStore: {
        ...membershipStore,
        join: async (membership) => {
          await membershipStore.removeContact({ _id: before._id, projectId: scope.projectId })
          return membershipStore.join(membership)
        },
      },
    })
    expect(await racing.subscribers.subscribe(scope, lists[0], { email })).toEqual({ email, status: 'active' })
    expect((await core.contacts.get(scope, email))._id).not.toBe(before._id)
    expect(await core.subscribers.get(scope, lists[0], email)).toMatchObject({ status: 'active' })
  })

  it('does not hide that the list was removed', async () => {
    const { core, scope, lists, ports } = await start()
    const { membershipStore } = ports
    const racing = createCore({
      ...ports,
      membershipStore: {
        ...membershipStore,
        join: async (membership) => {
          await membershipStore.removeList({ _id: lists[0], projectId: scope.projectId })
          return membershipStore.join(membership)
        },
      },
    })
    await expect(racing.subscribers.subscribe(scope, lists[0], { email })).rejects.toThrow('Subscriber list not found')
    expect(await core.contacts.get(scope, email)).toMatchObject({ _lists: [] })
  })
})

describe('orphaned memberships', () => {
  const left = async (world: World) => {
    const { contacts, subscribers, subscriberLists } = world.ports.repositories
    const { projectId } = world.scope
    await contacts.add(aContact({ _id: numberedId(0xf01), projectId }))
    await subscriberLists.add(aSubscriberList({ _id: numberedId(0xf02), projectId }))
    const membership = { projectId, contactId: numberedId(0xf01), subscriberListId: numberedId(0xf02) }
    await subscribers.add(aSubscriber({ ...membership, _id: numberedId(0xf03) }))
    await subscribers.add(aSubscriber({ ...membership, _id: numberedId(0xf04), contactId: numberedId(0xf09) }))
    await subscribers.add(aSubscriber({ ...membership, _id: numberedId(0xf05), subscriberListId: numberedId(0xf08) }))
  }

  it('are removed after each start if the store is not atomic', async () => {
    const world = await start()
    const core = createCore({ ...world.ports, membershipStore: { ...world.ports.membershipStore, isAtomic: false } })
    for (const _ of ['first start', 'second start']) {
      const { subscribers, contacts, subscriberLists } = world.ports.repositories
      await subscribers.removeAll({})
      await contacts.removeAll({ _id: numberedId(0xf01) })
      await subscriberLists.removeAll({ _id: numberedId(0xf02) })
      await left(world)
      await core.worker.start()
      await world.jobs.runDue()
      await core.worker.stop()
      expect(await faultsIn(world)).toEqual([])
      expect(await collected(subscribers.each({}))).toHaveLength(1)
    }
    const logged = world.lines.filter(({ message }) => /Memberships/.test(message))
    expect(logged).toMatchObject([{ fields: { removed: 2 } }, { fields: { removed: 2 } }])
  })

  it('are not searched for if the store is atomic', async () => {
    const world = await start()
    await world.core.worker.start()
    expect(world.jobs.waiting().map(({ key }) => key)).not.toContain('orphans')
    await world.core.worker.stop()
  })
})

describe('a list of subscribers by status', () => {
  it('writes nothing, even if pauses have expired', async () => {
    const { ports, clock } = inMemoryPorts()
    const core = createCore(ports)
    const { scope, list, subscribe } = await sampleProject(core)
    await subscribe(2)
    await core.subscribers.update(scope, list._id, 'reader1@example.com', {
      status: 'paused',
      pausedUntil: '2026-01-06T12:01:00Z',
    })
    clock.advance(60_000)
    const before = await collected(ports.repositories.subscribers.each({}))
    const by = (status: string, sort = 'createdAt') =>
      core.subscribers.list(scope as Scope, list._id, { limit: 10, skip: 0, sort, filter: { status } })
    for (const sort of ['createdAt', 'email', 'status']) {
      expect(await by('active', sort)).toMatchObject({ count: 2 })
      expect(await by('paused', sort)).toEqual({ items: [], count: 0 })
    }
    expect(await core.subscriberLists.stats(scope, list._id)).toMatchObject({ active: 2, paused: 0 })
    expect(await collected(ports.repositories.subscribers.each({}))).toEqual(before)
  })
})
