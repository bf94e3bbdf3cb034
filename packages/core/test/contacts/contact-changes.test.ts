import { createCore } from '@posthorn/core'
import { collected } from '@posthorn/core/ports/storage'
import { aContact, inMemoryPorts, numberedId, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const email = 'a@example.com'
const query = { limit: 30, skip: 0 }
const tagged = (value: string, operator: 'has-tag' | 'does-not-have-tag' = 'has-tag') => ({
  category: 'contact-property' as const,
  operator,
  value,
})

const start = async () => {
  const { ports, jobs, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  const tag = await core.contactTags.create(scope, { value: 'vip' })
  await core.contacts.create(scope, { email, tags: ['vip', 'old'], city: 'Wien' })
  await core.contacts.create(scope, { email: 'b@example.com', tags: ['old'] })
  const stored = async () => ports.repositories.contacts.get({ emailKey: email })
  const found = async (filter: Record<string, string>) =>
    (await core.contacts.list(scope, { ...query, sort: 'email', order: 'asc', filter })).items.map((one) => one.email)
  const meeting = (...conditions: object[]) => found({ segment: JSON.stringify({ groups: [{ conditions }] }) })
  return { core, ports, jobs, clock, scope, list, tag, stored, found, meeting }
}

describe('a removed custom field', () => {
  it('disappears from all reads before any contact is rewritten', async () => {
    const { core, scope, list, stored } = await start()
    await core.subscribers.subscribe(scope, list._id, { email })
    await core.customFields.remove(scope, 'city')
    expect((await stored())?.customFields).toEqual({ city: 'Wien' })
    expect(await core.contacts.get(scope, email)).not.toHaveProperty('city')
    expect((await core.contacts.list(scope, { ...query, filter: { email } })).items[0]).not.toHaveProperty('city')
    expect((await core.subscribers.get(scope, list._id, email)).customFields).toEqual({})
    expect((await core.subscribers.list(scope, list._id, query)).items[0]?.customFields).toEqual({})
    await expect(core.contacts.list(scope, { ...query, filter: { city: 'Wien' } })).rejects.toThrow('unknown field')
    expect((await core.customFields.list(scope)).items).toEqual([])
  })

  it('is removed from contacts in the background', async () => {
    const { core, ports, scope, jobs, stored } = await start()
    await core.customFields.remove(scope, 'city')
    await jobs.runDue()
    expect((await stored())?.customFields).toEqual({})
    expect(await collected(ports.repositories.contactChanges.each({}))).toEqual([])
  })

  it('does not return with its values under the same name', async () => {
    const { core, scope } = await start()
    await core.customFields.remove(scope, 'city')
    await core.customFields.create(scope, { name: 'City', type: 'string' })
    expect((await core.contacts.get(scope, email)).city).toBeUndefined()
  })
})

describe('a renamed tag', () => {
  it('has its new name in all reads before any contact is rewritten', async () => {
    const { core, scope, tag, stored, found, meeting } = await start()
    expect(await core.contactTags.update(scope, tag._id, { value: 'friend' })).toMatchObject({ value: 'friend' })
    expect((await stored())?.tags).toEqual(['vip', 'old'])
    expect((await core.contacts.get(scope, email)).tags).toEqual(['friend', 'old'])
    expect(await found({ tags: 'friend' })).toEqual([email])
    expect(await meeting(tagged('friend'))).toEqual([email])
    expect(await meeting(tagged('friend', 'does-not-have-tag'))).toEqual(['b@example.com'])
  })

  it('is renamed in segments and the unengaged segment in the same step', async () => {
    const { core, scope, tag } = await start()
    const groups = [{ conditions: [tagged('VIP'), tagged('old', 'does-not-have-tag')] }]
    const segment = await core.segments.create(scope, { name: 'S', groups })
    await core.projects.update(scope, { unengagedContactSegment: { groups } })
    await core.contactTags.update(scope, tag._id, { value: 'friend' })
    const renamed = [{ conditions: [tagged('friend'), tagged('old', 'does-not-have-tag')] }]
    expect((await core.segments.get(scope, segment._id)).groups).toEqual(renamed)
    expect((await core.projects.get(scope)).unengagedContactSegment.groups).toEqual(renamed)
  })

  it('can be renamed again, and its old name reused, at once', async () => {
    const { core, scope, tag, jobs, meeting } = await start()
    const old = (await core.contactTags.list(scope, { ...query, filter: { value: 'old' } })).items[0]
    await core.contactTags.update(scope, tag._id, { value: 'friend' })
    await core.contactTags.update(scope, tag._id, { value: 'pal' })
    await core.contactTags.update(scope, old?._id ?? '', { value: 'vip' })
    const tags = async () => (await core.contacts.get(scope, email)).tags
    expect(await tags()).toEqual(['pal', 'vip'])
    expect(await meeting(tagged('vip'), tagged('pal'))).toEqual([email])
    await jobs.runDue()
    expect(await tags()).toEqual(['pal', 'vip'])
  })
})

describe('a removed tag', () => {
  it('disappears from all reads before any contact is rewritten', async () => {
    const { core, scope, tag, stored, found, meeting } = await start()
    await core.contactTags.remove(scope, tag._id)
    expect((await stored())?.tags).toEqual(['vip', 'old'])
    expect((await core.contacts.get(scope, email)).tags).toEqual(['old'])
    expect(await found({ tags: 'vip' })).toEqual([])
    expect(await meeting(tagged('vip'))).toEqual([])
    expect(await meeting(tagged('vip', 'does-not-have-tag'))).toEqual([email, 'b@example.com'])
  })

  it('stays on contacts that get it again', async () => {
    const { core, scope, tag, jobs, found } = await start()
    await core.contactTags.remove(scope, tag._id)
    await core.contacts.update(scope, 'b@example.com', { tags: ['vip'] })
    await jobs.runDue()
    expect(await found({ tags: 'vip' })).toEqual(['b@example.com'])
  })
})

describe('a bulk change of contacts', () => {
  const many = async () => {
    const world = await start()
    const { projectId } = world.scope
    for (let n = 1; n <= 900; n += 1)
      await world.ports.repositories.contacts.add(
        aContact({ _id: numberedId(0x1000 + n), projectId, email: `many${n}@example.com`, tags: ['vip'] }),
      )
    const left = async () => (await collected(world.ports.repositories.contacts.each({ tags: 'vip' }))).length
    return { ...world, left }
  }

  it('continues in another process after a crash', async () => {
    const { core, ports, scope, tag, jobs, left } = await many()
    const { contacts } = ports.repositories
    let batches = 0
    const dying = createCore({
      ...ports,
      repositories: {
        ...ports.repositories,
        contacts: {
          ...contacts,
          changeNext: async (...asked) => {
            batches += 1
            if (batches === 3) throw new Error('Killed')
            return contacts.changeNext(...asked)
          },
        },
      },
    })
    await dying.contactTags.remove(scope, tag._id)
    await jobs.runDue()
    expect(jobs.failures).toHaveLength(1)
    expect(await left()).toBe(501)
    const [begun] = await collected(ports.repositories.contactChanges.each({}))
    expect(begun?.cursor).toBe(numberedId(0x1000 + 399))
    const again = createCore(ports)
    await again.worker.maintain()
    expect(await left()).toBe(501)
    await ports.repositories.contactChanges.change({}, (one) => ({ ...one, createdAt: '2026-01-06T11:59:00.000Z' }))
    await again.worker.maintain()
    expect(await left()).toBe(0)
    expect(await collected(ports.repositories.contactChanges.each({}))).toEqual([])
    expect((await core.contacts.get(scope, 'many900@example.com')).tags).toEqual([])
  })

  it('is completed if the process died before it changed the tag', async () => {
    const { ports, scope, tag, clock, left } = await many()
    const { contactTags } = ports.repositories
    const dying = createCore({
      ...ports,
      repositories: {
        ...ports.repositories,
        contactTags: { ...contactTags, remove: async () => Promise.reject(new Error('Killed')) },
      },
    })
    await expect(dying.contactTags.remove(scope, tag._id)).rejects.toThrow('Killed')
    clock.advance(60_000)
    await createCore(ports).worker.maintain()
    expect(await left()).toBe(0)
    expect(await contactTags.get({ _id: tag._id })).toBeUndefined()
  })

  it('visits contacts twice, for writes based on the earlier state', async () => {
    const { ports, scope, tag, jobs, left, core } = await many()
    const { contacts } = ports.repositories
    let isLate = true
    const late = createCore({
      ...ports,
      repositories: {
        ...ports.repositories,
        contacts: {
          ...contacts,
          changeNext: async (...asked) => {
            const cursor = await contacts.changeNext(...asked)
            if (cursor === undefined && isLate) {
              isLate = false
              await contacts.change({ emailKey: 'b@example.com' }, (one) => ({ ...one, tags: ['vip'] }))
            }
            return cursor
          },
        },
      },
    })
    await late.contactTags.remove(scope, tag._id)
    await jobs.runDue()
    expect(await left()).toBe(0)
    expect((await core.contacts.get(scope, 'b@example.com')).tags).toEqual([])
  })
})
