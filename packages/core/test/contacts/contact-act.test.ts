import { createCore, type Scope } from '@posthorn/core'
import { type ContactBulkAction, ContactListQuery } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'

const start = async (n = 5) => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list, account } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  for (let i = 1; i <= n; i += 1)
    await core.contacts.create(scope, { email: `p${i}@example.com`, city: i % 2 ? 'Wien' : 'Graz', tags: ['old'] })
  const { act } = core.contacts
  const page = (query: z.input<typeof ContactListQuery> = {}) =>
    core.contacts.list(scope, ContactListQuery.parse(query))
  const emails = async (query: z.input<typeof ContactListQuery> = {}) =>
    (await page(query)).items.map(({ email }) => email.replace('@example.com', ''))
  const actOnAll = async (input: ContactBulkAction) => {
    const sum = { done: 0, failures: [] as { email: string; reason: string }[], batches: 0 }
    for (let after: string | undefined; ; ) {
      const batch = await act(scope, { ...input, ...(after !== undefined && { after }) })
      sum.done += batch.done
      sum.failures.push(...batch.failures)
      sum.batches += 1
      if (batch.next === null) return sum
      after = batch.next
    }
  }
  return { core, scope, list, account, page, emails, act, actOnAll }
}

const inCity = (city: string) =>
  JSON.stringify({ groups: [{ conditions: [{ property: 'city', operator: 'equals', value: city }] }] })

describe('contacts found by the beginning of their address', () => {
  it('in any case, sorted and paged as other lists', async () => {
    const { core, scope, emails } = await start()
    await core.contacts.create(scope, { email: 'Paula@Example.com' })
    expect(await emails({ find: 'P', sort: 'email', order: 'asc' })).toEqual([
      'p1',
      'p2',
      'p3',
      'p4',
      'p5',
      'Paula@Example.com',
    ])
    expect(await emails({ find: 'p', sort: 'city', order: 'desc', limit: '3', skip: '1' })).toEqual(['p3', 'p1', 'p4'])
    expect(await emails({ find: 'pa' })).toEqual(['Paula@Example.com'])
    expect(await emails({ find: 'example' })).toEqual([])
    expect(await emails({ find: 'p%' })).toEqual([])
  })

  it('beside a list, its status, conditions and fields', async () => {
    const { core, scope, list, emails } = await start()
    await core.subscribers.subscribe(scope, list._id, { email: 'p2@example.com', status: 'active' })
    await core.subscribers.subscribe(scope, list._id, { email: 'p3@example.com', status: 'unverified' })
    const onList = { subscriberListId: list._id }
    expect(await emails({ find: 'p', filter: { ...onList, subscriberStatus: 'active' } })).toEqual(['p2'])
    expect(await emails({ find: 'p', filter: { ...onList, segment: inCity('Wien') } })).toEqual(['p3'])
    expect(await emails({ find: 'p3', filter: { city: 'Graz' } })).toEqual([])
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
    expect(await emails({ limit: '1', sort: 'createdAt', order: 'desc' })).toEqual(['p450'])
  })

  it('deletes all of them', async () => {
    const { actOnAll, page } = await start(430)
    expect(await actOnAll({ filter: { segment: inCity('Wien') }, act: { kind: 'delete' } })).toMatchObject({
      done: 215,
    })
    expect((await page()).count).toBe(215)
    expect(await actOnAll({ find: 'p4', act: { kind: 'delete' } })).toMatchObject({ done: 22 })
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

  it('suppresses them, and those that are so already count as done', async () => {
    const { core, scope, actOnAll } = await start(3)
    await core.suppressions.create(scope, { email: 'P2@example.com', reason: 'asked' })
    const act = { kind: 'suppress', reason: 'bought list' } as const
    expect(await actOnAll({ act })).toEqual({ done: 3, failures: [], batches: 1 })
    const { items } = await core.suppressions.list(scope, { limit: 10, skip: 0 })
    expect(Object.fromEntries(items.map(({ email, reason }) => [email, reason]))).toEqual({
      'P2@example.com': 'asked',
      'p1@example.com': 'bought list',
      'p3@example.com': 'bought list',
    })
  })

  it('suppresses nobody for a person who may only edit contacts', async () => {
    const { core, scope, act } = await start(1)
    const writer: Scope = {
      ...scope,
      caller: 'person',
      person: { _id: 'w', name: 'Writer', permissions: ['contacts.edit'] },
    }
    await expect(act(writer, { act: { kind: 'suppress' } })).rejects.toMatchObject({ kind: 'forbidden' })
    expect((await core.suppressions.list(scope, { limit: 10, skip: 0 })).count).toBe(0)
  })

  it('is limited to the chosen, in any spelling', async () => {
    const { actOnAll, emails, act, scope } = await start(4)
    const emailsChosen = ['P1@example.com', 'p3@Example.com', 'nobody@example.com']
    expect(await actOnAll({ emails: emailsChosen, act: { kind: 'delete' } })).toMatchObject({ done: 2, batches: 1 })
    expect(await emails()).toEqual(['p4', 'p2'])
    await expect(act(scope, { emails: emailsChosen, find: 'p', act: { kind: 'delete' } })).rejects.toThrow('either')
  })

  it('touches nothing of another project', async () => {
    const { core, account, list, emails, act } = await start(2)
    const other = await core.projects.create({ accountId: account._id, name: 'Other' })
    const theirs: Scope = { projectId: other._id, caller: 'api-key' }
    expect((await act(theirs, { act: { kind: 'delete' } })).done).toBe(0)
    expect((await act(theirs, { emails: ['p1@example.com'], act: { kind: 'delete' } })).done).toBe(0)
    await expect(act(theirs, { filter: { subscriberListId: list._id }, act: { kind: 'delete' } })).rejects.toThrow(
      'Subscriber list not found',
    )
    expect(await emails()).toEqual(['p2', 'p1'])
  })

  it.each([
    [{ segment: '{' }, 'expected JSON'],
    [{ segment: inCity('x').replace('city', 'town') }, 'town'],
    [{ subscriberStatus: 'active' }, 'needs filter[subscriberListId]'],
    [{ segmentId: '000000000000000000000000' }, 'Segment not found'],
    [{ nothing: '1' }, 'nothing'],
  ])('refuses the filter %j', async (filter, message) => {
    const { act, scope } = await start(0)
    await expect(act(scope, { filter, act: { kind: 'delete' } })).rejects.toThrow(message)
  })
})
