import { type Core, createCore, type Scope } from '@posthorn/core'
import { collected, type Repositories } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const { ports } = inMemoryPorts()
  const limits = {
    ...{
      customFields: 3,
      contactTags: 4,
      segments: 2,
      subscriberLists: 2,
      domains: 2,
      senderIdentities: 2,
      webhooks: 2,
    },
  }
  const core = createCore({ ...ports, settings: { ...ports.settings, limits } })
  const { scope, ...sample } = await sampleProject(core)
  const origin: Scope = { ...scope, caller: 'origin' }
  const tags = async () =>
    (await collected(ports.repositories.contactTags.each({}))).map(({ value }) => value).toSorted()
  return { core, ports, scope, origin, tags, ...sample }
}

const fieldNames = async (core: Core, scope: Scope) =>
  (await core.customFields.list(scope)).items.map((one) => one.name)

describe('the tags of a project', () => {
  it('cannot be created by a visitor, who learns which one is unknown', async () => {
    const { core, scope, origin, list, tags } = await start()
    await core.contactTags.create(scope, { value: 'known' })
    const email = 'visitor@example.com'
    const unknown = { email, tags: ['known', 'New'] }
    const refusal = { kind: 'invalid', message: 'Unknown tag: new' }
    await expect(core.contacts.create(origin, unknown)).rejects.toMatchObject(refusal)
    await expect(core.subscribers.subscribe(origin, list._id, unknown)).rejects.toMatchObject(refusal)
    await core.contacts.create(origin, { email, tags: ['known'] })
    await expect(core.contacts.update(origin, email, { tags: ['new'] })).rejects.toMatchObject(refusal)
    expect(await tags()).toEqual(['known'])
  })

  it('are created by a key in one write', async () => {
    const { ports, scope } = await start()
    let writes = 0
    const contactTags: Repositories['contactTags'] = {
      ...ports.repositories.contactTags,
      add: () => Promise.reject(new Error('one by one')),
      addNew: (...given) => {
        writes += 1
        return ports.repositories.contactTags.addNew(...given)
      },
    }
    const core = createCore({ ...ports, repositories: { ...ports.repositories, contactTags } })
    await core.contacts.create(scope, { email: 'a@example.com', tags: ['a', 'b', 'c'] })
    expect(writes).toBe(1)
  })

  it('are limited, and a contact that exceeds the limit is not stored', async () => {
    const { core, scope, tags } = await start()
    await core.contacts.create(scope, { email: 'a@example.com', tags: ['a', 'b', 'c'] })
    await expect(core.contacts.create(scope, { email: 'b@example.com', tags: ['d', 'e'] })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'The project may have at most 4 tags. Delete some, or ask the operator to raise the limit.',
    })
    await expect(core.contacts.get(scope, 'b@example.com')).rejects.toMatchObject({ kind: 'not-found' })
    await core.contactTags.create(scope, { value: 'd' })
    await expect(core.contactTags.create(scope, { value: 'e' })).rejects.toThrow('at most 4 tags')
    await core.contacts.create(scope, { email: 'c@example.com', tags: ['a', 'd'] })
    expect(await tags()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are limited in an import, which continues with other rows', async () => {
    const { core, scope, tags } = await start()
    await core.contactTags.create(scope, { value: 'known' })
    const row = (line: number, given: string) => ({
      line,
      values: { email: `row${line}@example.com`, tags: given },
    })
    const rows = [row(1, 'known'), row(2, 'a,b,c,d,e'), row(3, '')]
    const results = []
    for await (const result of core.contacts.import(scope, rows)) results.push(result)
    expect(results).toMatchObject([
      { line: 1, ok: true },
      { line: 2, ok: false, error: expect.stringContaining('at most 4 tags') },
      { line: 3, ok: true },
    ])
    expect(await tags()).toEqual(['known'])
  })
})

describe('the custom fields of a project', () => {
  it('are limited, also under concurrency', async () => {
    const { core, scope } = await start()
    const created = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((name) => core.customFields.create(scope, { name, type: 'string' })),
    )
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    await expect(core.customFields.create(scope, { name: 'f', type: 'string' })).rejects.toThrow(
      'at most 3 custom fields',
    )
    expect(await fieldNames(core, scope)).toHaveLength(3)
  })

  it('have unique names in any case, also under concurrency', async () => {
    const { core, scope } = await start()
    const created = await Promise.allSettled(
      ['homePage', 'homepage', 'Homepage'].map((name) => core.customFields.create(scope, { name, type: 'string' })),
    )
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await fieldNames(core, scope)).toHaveLength(1)
  })

  it('are equal if an umlaut is spelled out, and the error names the existing one', async () => {
    const { core, scope } = await start()
    await core.customFields.create(scope, { name: 'Größe', type: 'string' })
    await expect(core.customFields.create(scope, { name: 'Groesse', type: 'string' })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'name: a field groesse exists already',
    })
    await expect(core.customFields.create(scope, { name: '名前', type: 'string' })).rejects.toThrow('Latin letters')
  })

  it('are cached across requests, and reloaded after another process changes them', async () => {
    const { ports, scope } = await start()
    let reads = 0
    const { customFields } = ports.repositories
    const counted: Repositories['customFields'] = {
      ...customFields,
      each: (where) => {
        reads += 1
        return customFields.each(where)
      },
    }
    const one = createCore({ ...ports, repositories: { ...ports.repositories, customFields: counted } })
    const other = createCore(ports)
    await other.customFields.create(scope, { name: 'city', type: 'string' })
    for (const n of [1, 2, 3]) await one.contacts.create(scope, { email: `a${n}@example.com`, city: 'Wien' })
    expect(reads).toBe(1)
    await other.customFields.create(scope, { name: 'age', type: 'number' })
    await one.contacts.create(scope, { email: 'b@example.com', age: 30 })
    await other.customFields.remove(scope, 'age')
    await expect(one.contacts.create(scope, { email: 'c@example.com', age: 30 })).rejects.toThrow(
      'Unexpected field: age',
    )
  })
})

describe('other records of a project', () => {
  it('are limited', async () => {
    const { core, scope } = await start()
    const operator: Scope = { ...scope, caller: 'operator' }
    await core.segments.create(scope, { name: 'A' })
    await core.segments.create(scope, { name: 'B' })
    await expect(core.segments.create(scope, { name: 'C' })).rejects.toThrow('at most 2 segments')
    await core.subscriberLists.create(scope, { name: 'Second' })
    await expect(core.subscriberLists.create(scope, { name: 'Third' })).rejects.toThrow('at most 2 subscriber lists')
    const sender = (email: string) => core.senderIdentities.create(operator, { email, region: 'eu-west-1' })
    await sender('second@example.com')
    await expect(sender('third@example.com')).rejects.toThrow('at most 2 sender identities')
    const domain = (name: string) => core.domains.create(scope, { domain: name, region: 'eu-west-1' })
    await domain('one.example.com')
    await domain('two.example.com')
    await expect(domain('three.example.com')).rejects.toThrow('at most 2 domains')
  })
})
