import { createCore, type Scope } from '@posthorn/core'
import { ContactTableQuery } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async (n = 5) => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list, account } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  for (let i = 1; i <= n; i += 1)
    await core.contacts.create(scope, { email: `p${i}@example.com`, city: i % 2 ? 'Wien' : 'Graz', tags: ['old'] })
  const { table } = core.contacts
  const page = (query: Readonly<Record<string, string>> = {}, by: Scope = scope) =>
    table.page(by, ContactTableQuery.parse(query))
  const emails = async (query: Readonly<Record<string, string>> = {}) =>
    (await page(query)).items.map(({ email }) => email.replace('@example.com', ''))
  const actOnAll = async (input: Parameters<typeof table.act>[1]) => {
    const sum = { done: 0, failures: [] as { email: string; reason: string }[], batches: 0 }
    for (let after: string | undefined; ; ) {
      const batch = await table.act(scope, { ...input, ...(after !== undefined && { after }) })
      sum.done += batch.done
      sum.failures.push(...batch.failures)
      sum.batches += 1
      if (batch.next === null) return sum
      after = batch.next
    }
  }
  return { core, scope, list, account, page, emails, table, actOnAll }
}

const inCity = (city: string) =>
  JSON.stringify({ groups: [{ conditions: [{ property: 'city', operator: 'equals', value: city }] }] })

describe('the table of contacts', () => {
  it('has pages by cursor, and the count on the first', async () => {
    const { page, emails } = await start()
    const first = await page({ limit: '2' })
    expect([first.items.map(({ email }) => email[1]), first.count]).toEqual([['5', '4'], 5])
    const second = await page({ limit: '2', after: first.next ?? '' })
    expect(second.items.map(({ email }) => email[1])).toEqual(['3', '2'])
    expect(second).not.toHaveProperty('count')
    const third = await page({ limit: '2', after: second.next ?? '' })
    expect([third.items.length, third.next]).toEqual([1, null])
    expect(await emails({ limit: '5' })).toHaveLength(5)
  })

  it('finds addresses by their beginning, in any case', async () => {
    const { core, scope, page, emails } = await start()
    await core.contacts.create(scope, { email: 'Paula@Example.com' })
    expect(await emails({ find: 'P' })).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'Paula@Example.com'])
    const first = await page({ find: 'pa', limit: '1' })
    expect([first.items[0]?.email, first.count, first.next]).toEqual(['Paula@Example.com', 1, null])
    expect((await page({ find: 'p', limit: '2', after: 'p5@example.com' })).items[0]?.email).toBe('Paula@Example.com')
  })

  it('is filtered by list, status and conditions', async () => {
    const { core, scope, list, emails } = await start()
    await core.subscribers.subscribe(scope, list._id, { email: 'p2@example.com', status: 'active' })
    await core.subscribers.subscribe(scope, list._id, { email: 'p3@example.com', status: 'unverified' })
    const subscriberListId = list._id
    expect(await emails({ subscriberListId })).toEqual(['p3', 'p2'])
    expect(await emails({ subscriberListId, subscriberStatus: 'active' })).toEqual(['p2'])
    expect(await emails({ segment: inCity('Graz') })).toEqual(['p4', 'p2'])
    expect(await emails({ subscriberListId, segment: inCity('Wien'), find: 'p' })).toEqual(['p3'])
  })

  it.each([
    [{ segment: '{' }, 'expected JSON'],
    [{ segment: inCity('x').replace('city', 'town') }, 'town'],
    [{ subscriberStatus: 'active' }, 'needs filter[subscriberListId]'],
    [{ subscriberListId: '000000000000000000000000' }, 'Subscriber list not found'],
    [{ segmentId: '000000000000000000000000' }, 'Segment not found'],
  ])('refuses %j', async (query, message) => {
    const { page } = await start(0)
    await expect(page(query)).rejects.toThrow(message)
  })

  it('shows nothing of another project', async () => {
    const { core, account, list, page } = await start()
    const other = await core.projects.create({ accountId: account._id, name: 'Other' })
    const theirs: Scope = { projectId: other._id, caller: 'api-key' }
    expect((await page({}, theirs)).count).toBe(0)
    await expect(page({ subscriberListId: list._id }, theirs)).rejects.toThrow('Subscriber list not found')
  })
})

describe('an act on all that match', () => {
  it('changes tags in batches, and only of those', async () => {
    const { core, scope, actOnAll, emails } = await start(450)
    const filter = { segment: inCity('Graz') }
    expect(await actOnAll({ filter, act: { kind: 'add-tags', tags: ['New'] } })).toEqual({
      done: 225,
      failures: [],
      batches: 2,
    })
    expect((await core.contacts.get(scope, 'p2@example.com')).tags).toEqual(['old', 'new'])
    expect((await core.contacts.get(scope, 'p1@example.com')).tags).toEqual(['old'])
    expect((await core.contactTags.list(scope, { limit: 10, skip: 0 })).count).toBe(2)
    await actOnAll({ filter, act: { kind: 'remove-tags', tags: ['old'] } })
    expect((await core.contacts.get(scope, 'p450@example.com')).tags).toEqual(['new'])
    expect(await emails({ limit: '1' })).toEqual(['p450'])
  })

  it('deletes all of them', async () => {
    const { actOnAll, page } = await start(430)
    expect(await actOnAll({ filter: { segment: inCity('Wien') }, act: { kind: 'delete' } })).toMatchObject({
      done: 215,
    })
    expect((await page()).count).toBe(215)
    expect(await actOnAll({ filter: { find: 'p4' }, act: { kind: 'delete' } })).toMatchObject({ done: 22 })
    expect((await page()).count).toBe(193)
  })

  it('adds them to a list, and names those that are refused', async () => {
    const { core, scope, list, actOnAll } = await start(3)
    await core.suppressions.create(scope, { email: 'p2@example.com', reason: 'asked' })
    const act = { kind: 'add-to-list', subscriberListId: list._id } as const
    expect(await actOnAll({ act })).toEqual({
      done: 2,
      failures: [{ email: 'p2@example.com', reason: 'The provided email is on the suppression list.' }],
      batches: 1,
    })
    expect((await core.subscriberLists.stats(scope, list._id)).active).toBe(2)
    expect((await actOnAll({ act })).done).toBe(2)
    await expect(actOnAll({ act: { ...act, subscriberListId: '000000000000000000000000' } })).rejects.toThrow(
      'Subscriber list not found',
    )
  })
})
