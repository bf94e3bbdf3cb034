import { createCore } from '@posthorn/core'
import type { FieldType } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  const fields: [string, FieldType][] = [
    ['city', 'string'],
    ['age', 'number'],
    ['member', 'boolean'],
    ['since', 'date'],
  ]
  for (const [name, type] of fields) await core.customFields.create(scope, { name, type })
  const people = [
    { email: 'a@example.com', city: 'Wien', age: 3, tags: ['vip'], member: true },
    { email: 'b@example.com', city: 'Graz', age: 1, since: '2026-01-01' },
    { email: 'c@example.com', city: 'Wien', age: 2, tags: ['vip', 'new'] },
    { email: 'd@example.com', name: 'Dora', member: false },
  ]
  for (const person of people) {
    await core.contacts.create(scope, person)
    clock.advance(1)
  }
  const page = (query: object) => core.contacts.list(scope, { limit: 10, skip: 0, ...query })
  const initials = async (query: object) => (await page(query)).items.map(({ email }) => email[0]).join('')
  return { core, ports, clock, scope, list, page, initials, filtered: (filter: object) => initials({ filter }) }
}

type World = Awaited<ReturnType<typeof start>>

const vip = { conditions: [{ operator: 'has-tag' as const, value: 'vip' }] }

/** Contacts that nobody may walk through. */
const unwalked = () => {
  const { ports } = inMemoryPorts()
  const { contacts } = ports.repositories
  const walked = () => {
    throw new Error('All contacts were walked through')
  }
  const repositories = { ...ports.repositories, contacts: { ...contacts, each: walked } }
  return createCore({ ...ports, repositories })
}

describe('the contact list', () => {
  it('is queried from the store for any filter and sort field', async () => {
    const core = unwalked()
    const { scope, list } = await sampleProject(core)
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    const segment = JSON.stringify({ groups: [vip] })
    for (const query of [
      { sort: 'city' },
      { filter: { segment } },
      { filter: { subscriberListId: list._id, subscriberStatus: 'active' } },
    ])
      expect(await core.contacts.list(scope, { limit: 10, skip: 0, ...query })).toEqual({ items: [], count: 0 })
  })

  it('can be filtered by a list’s name or id', async () => {
    const { core, scope, list, filtered } = await start()
    const other = await core.subscriberLists.create(scope, { name: 'Offers' })
    const namesake = await core.subscriberLists.create(scope, { name: 'Offers' })
    await core.subscribers.subscribe(scope, list._id, { email: 'a@example.com' })
    await core.subscribers.subscribe(scope, other._id, { email: 'b@example.com' })
    await core.subscribers.subscribe(scope, namesake._id, { email: 'c@example.com' })
    expect(await filtered({ _lists: 'Offers' })).toBe('cb')
    expect(await filtered({ _lists: other._id })).toBe('b')
    expect(await filtered({ _lists: list.name, tags: 'vip' })).toBe('a')
    expect(await filtered({ _lists: 'Offers', subscriberListId: list._id })).toBe('')
    expect(await filtered({ _lists: 'nowhere' })).toBe('')
  })

  it('reports all violations of a query at once', async () => {
    const { page } = await start()
    const segment = JSON.stringify({ groups: [{ conditions: [{ operator: 'equals' }, { operator: 'like' }] }], x: 1 })
    const filter = { shoe: '1', age: 'old', since: 'soon', subscriberStatus: 'gone', segment }
    const told = await page({ sort: 'tags', filter }).catch((error: Error) => error.message.split('; '))
    expect(told).toEqual([
      'sort: tags is not a field to sort by',
      'filter[shoe]: unknown field',
      'filter[age]: expected a number',
      'filter[since]: expected an ISO date',
      'filter[subscriberStatus]: expected one of unverified, active, paused or unsubscribed, got "gone"',
      expect.stringMatching(/^filter\[segment\]\.groups\[0\]\.conditions\[1\]\.operator: expected one of any, /),
      'Unexpected field: filter[segment].x',
      'filter[segment].groups[0].conditions[0]: equals needs a property',
    ])
  })

  it('is sorted newest first, in pages with an exact count', async () => {
    const { initials, page } = await start()
    expect(await initials({})).toBe('dcba')
    expect(await initials({ limit: 2, skip: 1 })).toBe('cb')
    expect((await page({ limit: 1 })).count).toBe(4)
    expect(await initials({ sort: 'email', order: 'asc' })).toBe('abcd')
  })

  it.each([
    [{ city: 'Wien' }, 'ca'],
    [{ city: 'wien' }, ''],
    [{ age: '2' }, 'c'],
    [{ age: '2.0', city: 'Wien' }, 'c'],
    [{ member: 'true' }, 'a'],
    [{ member: 'false' }, 'd'],
    [{ since: '2026-01-01' }, 'b'],
    [{ since: '2026-01-01T01:00:00+01:00' }, 'b'],
    [{ tags: 'VIP' }, 'ca'],
    [{ tags: 'vip', city: 'Graz' }, ''],
    [{ name: 'Dora' }, 'd'],
    [{ email: 'B@Example.com' }, 'b'],
    [{ createdAt: '2026-01-06T12:00:00.000Z' }, 'a'],
  ])('filtered by %j contains %s', async (filter, expected) => {
    const { filtered } = await start()
    expect(await filtered(filter)).toBe(expected)
  })

  it.each([
    [{ filter: { shoeSize: '3' } }, 'filter[shoeSize]: unknown field'],
    [{ filter: { projectId: 'x' } }, 'filter[projectId]: unknown field'],
    [{ filter: { 'customFields.city': 'x' } }, 'filter[customFields.city]: unknown field'],
    [{ filter: { age: 'old' } }, 'filter[age]: expected a number'],
    [{ filter: { member: 'maybe' } }, 'filter[member]: expected true or false'],
    [{ filter: { since: 'yesterday' } }, 'filter[since]: expected an ISO date'],
    [{ sort: 'tags' }, 'sort: tags is not a field to sort by'],
    [{ sort: 'customFields.city' }, 'sort: customFields.city is not a field to sort by'],
    [{ filter: { subscriberStatus: 'active' } }, 'filter[subscriberStatus]: needs filter[subscriberListId], too'],
    [{ filter: { segment: 'vip' } }, 'filter[segment]: expected JSON of the form {"groups":[…]}'],
    [{ filter: { segment: '{"groups":[],"x":1}' } }, 'Unexpected field: filter[segment].x'],
    [
      { filter: { segment: '{"groups":[{"conditions":[{"operator":"equals"}]}]}' } },
      'filter[segment].groups[0].conditions[0]: equals needs a property',
    ],
  ])('rejects %j', async (query, message) => {
    const { page } = await start()
    await expect(page(query)).rejects.toMatchObject({ kind: 'invalid', message })
  })

  it('can be sorted by a custom field, absent values first', async () => {
    const { initials } = await start()
    expect(await initials({ sort: 'age', order: 'asc' })).toBe('dbca')
    expect(await initials({ sort: 'age', order: 'desc', limit: 2, skip: 1 })).toBe('cb')
  })

  it('shows each contact’s list names', async () => {
    const { core, scope, list, page } = await start()
    const second = await core.subscriberLists.create(scope, { name: 'News' })
    await core.subscribers.subscribe(scope, list._id, { email: 'a@example.com' })
    await core.subscribers.subscribe(scope, second._id, { email: 'a@example.com' })
    await core.subscribers.subscribe(scope, second._id, { email: 'b@example.com' })
    const { items } = await page({ sort: 'email', order: 'asc' })
    expect(items.map(({ _lists }) => _lists)).toEqual([['Readers', 'News'], ['News'], [], []])
  })
})

describe('contacts filtered by a list', () => {
  const onList = async ({ core, scope, list }: World) => {
    for (const name of ['a', 'b', 'c'])
      await core.subscribers.subscribe(scope, list._id, { email: `${name}@example.com` })
    const update = (name: string, input: object) =>
      core.subscribers.update(scope, list._id, `${name}@example.com`, { ...input })
    await update('b', { status: 'paused', pausedUntil: '2026-01-06T13:00:00Z' })
    await update('c', { status: 'unsubscribed' })
    return list._id
  }

  it('are its members, in any status unless one is given', async () => {
    const world = await start()
    const subscriberListId = await onList(world)
    expect(await world.filtered({ subscriberListId })).toBe('cba')
    expect(await world.filtered({ subscriberListId, subscriberStatus: 'active' })).toBe('a')
    expect(await world.filtered({ subscriberListId, subscriberStatus: 'paused' })).toBe('b')
    expect(await world.filtered({ subscriberListId, subscriberStatus: 'unsubscribed', city: 'Wien' })).toBe('c')
    world.clock.advance(60 * 60_000)
    expect(await world.filtered({ subscriberListId, subscriberStatus: 'active' })).toBe('ba')
    expect(await world.filtered({ subscriberListId, subscriberStatus: 'paused' })).toBe('')
  })

  it('can be filtered by _id, too', async () => {
    const world = await start()
    const subscriberListId = await onList(world)
    const id = async (name: string) => (await world.core.contacts.get(world.scope, `${name}@example.com`))._id
    expect(await world.filtered({ subscriberListId, _id: await id('a') })).toBe('a')
    expect(await world.filtered({ subscriberListId, _id: await id('d') })).toBe('')
  })

  it('require an existing list, segment and status', async () => {
    const world = await start()
    const other = await sampleProject(world.core, { name: 'Other' })
    await expect(world.filtered({ subscriberListId: other.list._id })).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Subscriber list not found',
    })
    const segment = await world.core.segments.create(other.scope, { name: 'VIP' })
    await expect(world.filtered({ segmentId: segment._id })).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Segment not found',
    })
    await expect(world.filtered({ subscriberListId: world.list._id, subscriberStatus: 'gone' })).rejects.toMatchObject({
      kind: 'invalid',
    })
  })
})

describe('contacts filtered by a segment', () => {
  it('match the stored segment, the given conditions, or both', async () => {
    const { core, scope, filtered, page } = await start()
    const { _id: segmentId } = await core.segments.create(scope, { name: 'VIP', groups: [vip] })
    const grown = { conditions: [{ property: 'age', operator: 'greater-than', value: 1 }] }
    const young = { conditions: [{ property: 'age', operator: 'less-than', value: 3 }] }
    const segment = JSON.stringify({ groups: [young] })
    expect(await filtered({ segmentId })).toBe('ca')
    expect(await filtered({ segment })).toBe('cb')
    expect(await filtered({ segmentId, segment })).toBe('c')
    expect(await filtered({ segment: JSON.stringify({ groups: [grown, young] }), city: 'Wien' })).toBe('ca')
    expect(await filtered({ segment: '{"groups":[]}' })).toBe('')
    expect(await page({ filter: { segmentId }, limit: 1, skip: 1 })).toMatchObject({ count: 2 })
  })

  it('are paginated and counted', async () => {
    const { core, scope, list, page } = await start()
    const rows = Array.from({ length: 1300 }, (_, line) => ({
      line,
      values: { email: `r${line}@example.com`, age: line, tags: line % 2 ? 'odd' : 'even' },
    }))
    for await (const _ of core.contacts.import(scope, rows, { subscriberListId: list._id }));
    const segment = JSON.stringify({ groups: [{ conditions: [{ operator: 'has-tag', value: 'odd' }] }] })
    const filter = { segment, subscriberListId: list._id, subscriberStatus: 'active' }
    const { items, count } = await page({ filter, sort: 'age', order: 'desc', skip: 600, limit: 3 })
    expect(count).toBe(650)
    expect(items.map((contact) => contact.age)).toEqual([99, 97, 95])
  })
})
