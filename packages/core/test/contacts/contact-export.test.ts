import { createCore, type ExportedContact } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  const add = (email: string, fields: object = {}) => core.contacts.create(scope, { email, ...fields })
  const subscribe = (email: string, fields: object = {}) =>
    core.subscribers.subscribe(scope, list._id, { email, ...fields })
  const run = async (filter: object = {}) => {
    const found: ExportedContact[] = []
    for await (const one of core.contacts.export.contacts(scope, { filter: { ...filter } })) found.push(one)
    return found
  }
  const emails = async (options: object = {}) => (await run(options)).map(({ contact }) => contact.email)
  return { core, ports, clock, scope, list, add, subscribe, run, emails }
}

describe('an export of contacts', () => {
  it('contains the project’s contacts as the API shows them, and no others', async () => {
    const { core, scope, add, subscribe, run } = await start()
    await core.customFields.create(scope, { name: 'age', type: 'number' })
    await subscribe('ada@example.com', { name: 'Ada', age: 36 })
    await add('bob@example.com', { tags: ['vip'] })
    const other = await sampleProject(core, { name: 'Other' })
    await core.contacts.create(other.scope, { email: 'other@example.com' })
    expect(await run()).toEqual([
      { contact: await core.contacts.get(scope, 'bob@example.com') },
      { contact: await core.contacts.get(scope, 'ada@example.com') },
    ])
  })

  it('of a list contains current statuses, and can be limited to one', async () => {
    const { core, clock, scope, list, add, subscribe, run, emails } = await start()
    await add('nobody@example.com')
    for (const name of ['active', 'gone', 'paused']) await subscribe(`${name}@example.com`)
    await core.subscribers.update(scope, list._id, 'gone@example.com', { status: 'unsubscribed' })
    const pausedUntil = '2026-01-07T00:00:00.000Z'
    await core.subscribers.update(scope, list._id, 'paused@example.com', { status: 'paused', pausedUntil })
    const statuses = async () => (await run({ subscriberListId: list._id })).map((one) => one.subscriberStatus)
    expect(await statuses()).toEqual(['paused', 'unsubscribed', 'active'])
    clock.advance(2 * 24 * 60 * 60_000)
    expect(await statuses()).toEqual(['active', 'unsubscribed', 'active'])
    expect(await emails({ subscriberListId: list._id, subscriberStatus: 'unsubscribed' })).toEqual(['gone@example.com'])
  })

  it('of a segment contains its matches, also with a list', async () => {
    const { core, scope, list, add, subscribe, emails } = await start()
    await subscribe('ada@example.com', { name: 'Ada' })
    await subscribe('bob@example.com', { name: 'Bob' })
    await add('ida@example.com', { name: 'Ida' })
    const groups = [{ conditions: [{ property: 'name', operator: 'contains', value: 'da' } as const] }]
    const { _id: segmentId } = await core.segments.create(scope, { name: 'Da', groups })
    expect(await emails({ segmentId })).toEqual(['ida@example.com', 'ada@example.com'])
    expect(await emails({ segmentId, subscriberListId: list._id })).toEqual(['ada@example.com'])
  })

  it('reads only as much as is consumed', async () => {
    const { core, ports, scope } = await start()
    const rows = Array.from({ length: 1500 }, (_, line) => ({ line, values: { email: `c${line}@example.com` } }))
    for await (const _result of core.contacts.import(scope, rows));
    let read = 0
    const contactSearch: typeof ports.contactSearch = {
      ...ports.contactSearch,
      next: async (question) => {
        const found = await ports.contactSearch.next(question)
        read += found.length
        return found
      },
    }
    const counting = createCore({ ...ports, contactSearch })
    for await (const { contact } of counting.contacts.export.contacts(scope))
      if (contact.email === 'c1490@example.com') break
    expect(read).toBe(201)
  })

  it('can be filtered by fields and tags, and found by address', async () => {
    const { core, scope, add, emails } = await start()
    await core.customFields.create(scope, { name: 'age', type: 'number' })
    await add('ada@example.com', { age: 36, tags: ['vip'] })
    await add('bob@example.com', { age: 36 })
    await add('ida@example.com', { tags: ['vip'] })
    expect(await emails({ age: '36' })).toEqual(['bob@example.com', 'ada@example.com'])
    expect(await emails({ age: '36', tags: 'VIP' })).toEqual(['ada@example.com'])
    await expect(emails({ shoe: '1' })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(emails({ _lists: 'Readers' })).rejects.toThrow('use filter[subscriberListId]')
    const found: string[] = []
    for await (const { contact } of core.contacts.export.contacts(scope, { find: 'B', filter: { age: '36' } }))
      found.push(contact.email)
    expect(found).toEqual(['bob@example.com'])
  })

  it('is a CSV file without formulas, or NDJSON', async () => {
    const { core, scope, list, subscribe } = await start()
    await core.customFields.create(scope, { name: 'city', type: 'string' })
    await subscribe('z@example.com', { name: '=1+1', city: 'Wien', tags: ['a', 'b'] })
    const file = async (query: object) => {
      let text = ''
      for await (const chunk of await core.contacts.export.file(scope, query)) text += chunk
      return text
    }
    expect((await file({ filter: { subscriberListId: list._id } })).replace(/20\d\d-[^,]*/g, 'time')).toBe(
      'email,name,tags,city,lists,createdAt,lastReceiveDate,lastOpenDate,lastClickDate,status\n' +
        'z@example.com,\'=1+1,"a,b",Wien,Readers,time,,,,active\n',
    )
    expect(JSON.parse(await file({ format: 'ndjson' }))).toEqual(await core.contacts.get(scope, 'z@example.com'))
    await expect(file({ format: 'xml' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('requires a list and segment of the project, and a list for a status', async () => {
    const { core, emails } = await start()
    const other = await sampleProject(core, { name: 'Other' })
    await expect(emails({ subscriberListId: other.list._id })).rejects.toMatchObject({ kind: 'not-found' })
    await expect(emails({ segmentId: 'nowhere' })).rejects.toMatchObject({ kind: 'not-found' })
    await expect(emails({ subscriberStatus: 'active' })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(emails({ status: 'active' })).rejects.toMatchObject({ kind: 'invalid' })
  })
})
