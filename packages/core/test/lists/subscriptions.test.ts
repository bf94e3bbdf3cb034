import { createCore, type Scope } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  const id = list._id
  return {
    core,
    ports,
    clock,
    scope,
    id,
    browser: { ...scope, caller: 'origin' } as Scope,
    subscribe: (input: unknown) => core.subscribers.subscribe(scope, id, input as never),
    update: (email: string, input: unknown) => core.subscribers.update(scope, id, email, input as never),
    get: (email: string) => core.subscribers.get(scope, id, email),
    list: (query: object = {}) => core.subscribers.list(scope, id, { limit: 10, skip: 0, ...query }),
  }
}

const exists = { kind: 'invalid', message: 'Email already exists.' }
const notAhead = { kind: 'invalid', message: 'The pausedUntil date must be set in the future.' }

describe('subscribing', () => {
  it('creates a missing contact', async () => {
    const { core, scope, subscribe, get } = await start()
    await core.customFields.create(scope, { name: 'City', type: 'string' })
    expect(await subscribe({ email: 'Ada@example.com', name: 'Ada', city: 'Wien' })).toEqual({
      email: 'Ada@example.com',
      status: 'active',
    })
    expect(await get('ada@EXAMPLE.com')).toEqual({
      email: 'Ada@example.com',
      status: 'active',
      customFields: { city: 'Wien' },
    })
    expect(await core.contacts.get(scope, 'ada@example.com')).toMatchObject({ name: 'Ada', _lists: ['Readers'] })
  })

  it('keeps the contact’s other fields', async () => {
    const { core, scope, subscribe } = await start()
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    await core.contacts.create(scope, { email: 'ada@example.com', name: 'Ada', tags: ['vip'], city: 'Wien' })
    expect(await subscribe({ email: 'ADA@example.com' })).toEqual({ email: 'ada@example.com', status: 'active' })
    expect(await core.contacts.get(scope, 'ada@example.com')).toMatchObject({
      name: 'Ada',
      tags: ['vip'],
      city: 'Wien',
    })
  })

  it('accepts custom fields inside data, and merges them', async () => {
    const { core, scope, subscribe, get } = await start()
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    await core.customFields.create(scope, { name: 'age', type: 'number' })
    await core.contacts.create(scope, { email: 'ada@example.com', age: 36 })
    await subscribe({ email: 'ada@example.com', data: { city: 'Wien' } })
    expect((await get('ada@example.com')).customFields).toEqual({ city: 'Wien', age: 36 })
  })

  it.each(['active', 'unverified'] as const)('accepts the status %s', async (status) => {
    const { subscribe } = await start()
    expect((await subscribe({ email: 'ada@example.com', status })).status).toBe(status)
  })

  it.each(['active', 'unverified', 'paused'])('twice is refused while %s', async (status) => {
    const { subscribe, update } = await start()
    await subscribe({ email: 'ada@example.com', status: status === 'unverified' ? status : 'active' })
    if (status === 'paused') await update('ada@example.com', { status, pausedUntil: '2026-02-01' })
    await expect(subscribe({ email: 'Ada@Example.com', status: 'unverified' })).rejects.toMatchObject(exists)
  })

  it('resubscribes an unsubscribed contact', async () => {
    const { subscribe, update, get } = await start()
    await subscribe({ email: 'ada@example.com' })
    await update('ada@example.com', { status: 'unsubscribed' })
    expect(await subscribe({ email: 'ada@example.com' })).toMatchObject({ status: 'active' })
    expect((await get('ada@example.com')).status).toBe('active')
  })

  it.each([
    ['bounce', /flagged due to bouncing/],
    ['asked us', /on the suppression list/],
  ])('a suppressed address (%s) is refused, and creates no contact', async (reason, message) => {
    const { core, scope, subscribe } = await start()
    await core.suppressions.create(scope, { email: 'gone@example.com', reason })
    await expect(subscribe({ email: 'GONE@example.com' })).rejects.toMatchObject({
      kind: 'blocked',
      message: expect.stringMatching(message),
    })
    await expect(core.contacts.get(scope, 'gone@example.com')).rejects.toThrow('Contact not found')
  })

  it('reports all violations of the membership, the contact and the custom fields', async () => {
    const { core, scope, subscribe } = await start()
    await core.customFields.create(scope, { name: 'age', type: 'number' })
    await expect(subscribe({ email: 'x', status: 'paused', age: 'old', shoe: 1 })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(
        /^Invalid email format; status: .*; age: expected a number, got a text; Unexpected field: shoe$/,
      ),
    })
  })

  it.each([null, [], 'ada@example.com', 3])('rejects a body like %j', async (input) => {
    const { subscribe } = await start()
    await expect(subscribe(input)).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('requires a list of the project', async () => {
    const { core, id } = await start()
    const other = (await sampleProject(core, { name: 'Other' })).scope
    await expect(core.subscribers.subscribe(other, id, { email: 'ada@example.com' })).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Subscriber list not found',
    })
  })

  it('the same address concurrently creates one membership', async () => {
    const { subscribe, list } = await start()
    const results = await Promise.allSettled([1, 2, 3].map(() => subscribe({ email: 'ada@example.com' })))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await list()).count).toBe(1)
  })
})

describe('subscribing to several lists concurrently', () => {
  it('creates one contact on all of them', async () => {
    const { core, scope, id } = await start()
    const { _id: second } = await core.subscriberLists.create(scope, { name: 'News' })
    const join = (listId: string) =>
      core.subscribers.subscribe(scope, listId, { email: 'ada@example.com', tags: ['x'] })
    expect(await Promise.all([join(id), join(second)])).toHaveLength(2)
    expect(await core.contacts.get(scope, 'ada@example.com')).toMatchObject({ _lists: ['Readers', 'News'] })
  })
})

describe('updating a subscriber', () => {
  it('pauses until a future time, and not without one', async () => {
    const { subscribe, update } = await start()
    await subscribe({ email: 'ada@example.com' })
    await expect(update('ada@example.com', { status: 'paused' })).rejects.toMatchObject(notAhead)
    await expect(
      update('ada@example.com', { status: 'paused', pausedUntil: '2026-01-06T12:00:00Z' }),
    ).rejects.toMatchObject(notAhead)
    expect(await update('ada@example.com', { status: 'paused', pausedUntil: '2026-01-07' })).toEqual({
      email: 'ada@example.com',
      status: 'paused',
      pausedUntil: '2026-01-07T00:00:00.000Z',
      customFields: {},
    })
    expect(await update('ada@example.com', { status: 'active' })).not.toHaveProperty('pausedUntil')
  })

  it('changes the contact’s address and custom fields', async () => {
    const { core, scope, subscribe, update } = await start()
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    await subscribe({ email: 'ada@example.com', name: 'Ada', city: 'Wien' })
    expect(await update('ada@example.com', { email: 'Countess@example.com', city: null })).toMatchObject({
      email: 'Countess@example.com',
      status: 'active',
      customFields: {},
    })
    expect(await core.contacts.get(scope, 'countess@example.com')).toMatchObject({ name: 'Ada' })
  })

  it('rejects a taken or suppressed address, and changes nothing', async () => {
    const { core, scope, subscribe, update, get } = await start()
    await subscribe({ email: 'ada@example.com' })
    await subscribe({ email: 'bob@example.com' })
    await core.suppressions.create(scope, { email: 'gone@example.com' })
    const leave = { status: 'unsubscribed' }
    await expect(update('ada@example.com', { email: 'BOB@example.com', ...leave })).rejects.toMatchObject(exists)
    await expect(update('ada@example.com', { email: 'gone@example.com', ...leave })).rejects.toThrow('suppression list')
    expect((await get('ada@example.com')).status).toBe('active')
  })

  it('lets a suppressed contact unsubscribe, but not resubscribe', async () => {
    const { core, scope, subscribe, update } = await start()
    await subscribe({ email: 'ada@example.com' })
    await core.suppressions.create(scope, { email: 'ada@example.com', reason: 'complaint' })
    await update('ada@example.com', { status: 'unsubscribed', email: 'Ada@example.com' })
    await expect(update('ada@example.com', { status: 'active' })).rejects.toMatchObject({ kind: 'blocked' })
  })

  it('cannot set unverified, and finds only subscribers of the list', async () => {
    const { core, scope, subscribe, update } = await start()
    await subscribe({ email: 'ada@example.com' })
    await expect(update('ada@example.com', { status: 'unverified' })).rejects.toMatchObject({ kind: 'invalid' })
    await core.contacts.create(scope, { email: 'bob@example.com' })
    await expect(update('bob@example.com', {})).rejects.toMatchObject({
      kind: 'not-found',
      message: 'Subscriber not found',
    })
    await expect(update('nobody@example.com', {})).rejects.toMatchObject({ message: 'Contact not found' })
  })

  it('without changes changes nothing', async () => {
    const { subscribe, update, get } = await start()
    await subscribe({ email: 'ada@example.com', name: 'Ada' })
    await update('ada@example.com', { status: 'paused', pausedUntil: '2026-03-01' })
    const before = await get('ada@example.com')
    expect(await update('ada@example.com', {})).toEqual(before)
  })
})

describe('an expired pause', () => {
  it('counts as active at once, and is stored so by the job', async () => {
    const { core, ports, clock, subscribe, update, get } = await start()
    await subscribe({ email: 'ada@example.com' })
    await subscribe({ email: 'bob@example.com' })
    await update('ada@example.com', { status: 'paused', pausedUntil: '2026-01-06T13:00:00Z' })
    await update('bob@example.com', { status: 'paused', pausedUntil: '2026-01-06T14:00:00Z' })
    clock.advance(60 * 60_000)
    expect(await get('ada@example.com')).toEqual({ email: 'ada@example.com', status: 'active', customFields: {} })
    const stored = async () => (await ports.repositories.subscribers.list(everyone)).items.map((one) => one.status)
    expect(await stored()).toEqual(['paused', 'paused'])
    await core.subscribers.resumePauses()
    expect(await stored()).toEqual(['active', 'paused'])
  })

  it('is stored for any number of subscribers', async () => {
    const { core, ports, clock, scope, id, list } = await start()
    const rows = Array.from({ length: 450 }, (_, i) => ({ line: i, values: { email: `r${i}@example.com` } }))
    for await (const _ of core.contacts.import(scope, rows, { subscriberListId: id }));
    for await (const { _id } of ports.repositories.subscribers.each({}))
      await ports.repositories.subscribers.change({ _id }, (one) => ({
        ...one,
        status: 'paused',
        pausedUntil: '2026-01-06T13:00:00.000Z',
      }))
    clock.advance(2 * 60 * 60_000)
    expect((await list({ filter: { status: 'active' } })).count).toBe(450)
    expect(await core.subscriberLists.stats(scope, id)).toMatchObject({ active: 450, paused: 0 })
  })

  const everyone = { where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 100 } as const
})

describe('the subscribers of a list', () => {
  it('are listed newest first with an exact count, and can be filtered', async () => {
    const { subscribe, update, clock, list } = await start()
    for (const name of ['a', 'b', 'c', 'd']) {
      await subscribe({ email: `${name}@example.com` })
      clock.advance(1)
    }
    await update('b@example.com', { status: 'unsubscribed' })
    const emails = async (query: object) => (await list(query)).items.map(({ email }) => email[0])
    expect(await emails({})).toEqual(['d', 'c', 'b', 'a'])
    expect(await emails({ limit: 2, skip: 1 })).toEqual(['c', 'b'])
    expect((await list({ limit: 1 })).count).toBe(4)
    expect(await emails({ filter: { status: 'active' } })).toEqual(['d', 'c', 'a'])
    expect(await emails({ filter: { email: 'B@Example.com' } })).toEqual(['b'])
    expect(await list({ filter: { email: 'nobody@example.com' } })).toEqual({ items: [], count: 0 })
    await expect(list({ filter: { contactId: 'x' } })).rejects.toThrow('filter[contactId]: unknown field')
    await expect(list({ sort: 'customFields' })).rejects.toThrow('sort: customFields is not a field to sort by')
  })

  it('can be sorted by address on any page', async () => {
    const { subscribe, update, list } = await start()
    for (const name of ['c', 'a', 'd', 'b']) await subscribe({ email: `${name}@example.com` })
    await update('c@example.com', { status: 'unsubscribed' })
    const emails = async (query: object) => (await list({ sort: 'email', ...query })).items.map(({ email }) => email[0])
    expect(await emails({ order: 'asc' })).toEqual(['a', 'b', 'c', 'd'])
    expect(await emails({ order: 'desc', skip: 1, limit: 2 })).toEqual(['c', 'b'])
    expect(await list({ sort: 'email', filter: { status: 'active' }, limit: 1 })).toMatchObject({ count: 3 })
  })
})

describe('a subscriber', () => {
  it('is found by any spelling of the address', async () => {
    const { subscribe, get } = await start()
    await subscribe({ email: 'Ada.Lovelace@Example.com' })
    const spellings = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }).map((upper) =>
      Array.from('ada.lovelace@example.com')
        .map((c, i) => (upper[i] ? c.toUpperCase() : c))
        .join(''),
    )
    await fc.assert(
      fc.asyncProperty(spellings, async (spelling) => {
        expect((await get(spelling)).email).toBe('Ada.Lovelace@Example.com')
        await expect(subscribe({ email: spelling })).rejects.toMatchObject(exists)
      }),
      { numRuns: 30 },
    )
  })
})
