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
  const run = async (options: object = {}) => {
    const found: ExportedContact[] = []
    for await (const one of core.contacts.export(scope, options)) found.push(one)
    return found
  }
  const emails = async (options: object = {}) => (await run(options)).map(({ contact }) => contact.email)
  return { core, ports, clock, scope, list, add, subscribe, run, emails }
}

describe('an export of contacts', () => {
  it('has everybody of the project as clients see them, and nobody of another', async () => {
    const { core, scope, add, subscribe, run } = await start()
    await core.customFields.create(scope, { name: 'age', type: 'number' })
    await subscribe('ada@example.com', { name: 'Ada', age: 36 })
    await add('bob@example.com', { tags: ['vip'] })
    const other = await sampleProject(core, { name: 'Other' })
    await core.contacts.create(other.scope, { email: 'other@example.com' })
    expect(await run()).toEqual([
      { contact: await core.contacts.get(scope, 'ada@example.com') },
      { contact: await core.contacts.get(scope, 'bob@example.com') },
    ])
  })

  it('of a list has the status there as it is now, and can be of one status', async () => {
    const { core, clock, scope, list, add, subscribe, run, emails } = await start()
    await add('nobody@example.com')
    for (const name of ['active', 'gone', 'paused']) await subscribe(`${name}@example.com`)
    await core.subscribers.update(scope, list._id, 'gone@example.com', { status: 'unsubscribed' })
    const pausedUntil = '2026-01-07T00:00:00.000Z'
    await core.subscribers.update(scope, list._id, 'paused@example.com', { status: 'paused', pausedUntil })
    const statuses = async () => (await run({ subscriberListId: list._id })).map((one) => one.subscriberStatus)
    expect(await statuses()).toEqual(['active', 'unsubscribed', 'paused'])
    clock.advance(2 * 24 * 60 * 60_000)
    expect(await statuses()).toEqual(['active', 'unsubscribed', 'active'])
    expect(await emails({ subscriberListId: list._id, subscriberStatus: 'unsubscribed' })).toEqual(['gone@example.com'])
  })

  it('of a segment has those who are in it, also on a list', async () => {
    const { core, scope, list, add, subscribe, emails } = await start()
    await subscribe('ada@example.com', { name: 'Ada' })
    await subscribe('bob@example.com', { name: 'Bob' })
    await add('ida@example.com', { name: 'Ida' })
    const groups = [{ conditions: [{ property: 'name', operator: 'contains', value: 'da' } as const] }]
    const { _id: segmentId } = await core.segments.create(scope, { name: 'Da', groups })
    expect(await emails({ segmentId })).toEqual(['ada@example.com', 'ida@example.com'])
    expect(await emails({ segmentId, subscriberListId: list._id })).toEqual(['ada@example.com'])
  })

  it('reads no further than it is asked', async () => {
    const { core, ports, scope } = await start()
    const rows = Array.from({ length: 1500 }, (_, line) => ({ line, values: { email: `c${line}@example.com` } }))
    for await (const _result of core.contacts.import(scope, rows));
    let read = 0
    const contacts = {
      ...ports.repositories.contacts,
      each: async function* (...where: Parameters<typeof ports.repositories.contacts.each>) {
        for await (const one of ports.repositories.contacts.each(...where)) {
          read += 1
          yield one
        }
      },
    }
    const counting = createCore({ ...ports, repositories: { ...ports.repositories, contacts } })
    for await (const { contact } of counting.contacts.export(scope)) if (contact.email === 'c3@example.com') break
    expect(read).toBe(500)
  })

  it('needs a list and a segment of the project, and a list for a status', async () => {
    const { core, emails } = await start()
    const other = await sampleProject(core, { name: 'Other' })
    await expect(emails({ subscriberListId: other.list._id })).rejects.toMatchObject({ kind: 'not-found' })
    await expect(emails({ segmentId: 'nowhere' })).rejects.toMatchObject({ kind: 'not-found' })
    await expect(emails({ subscriberStatus: 'active' })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(emails({ status: 'active' })).rejects.toMatchObject({ kind: 'invalid' })
  })
})
