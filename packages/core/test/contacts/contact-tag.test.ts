import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const core = createCore(inMemoryPorts().ports)
  const { scope } = await sampleProject(core)
  const tags = async (email: string) => (await core.contacts.get(scope, email)).tags
  return { core, scope, tags, create: (value: string) => core.contactTags.create(scope, { value }) }
}

const exists = { kind: 'duplicate', message: 'This tag exists already.' }

describe('a contact tag', () => {
  it('is stored once, in lower case', async () => {
    const { core, scope, create } = await start()
    const tag = await create(' VIP ')
    expect(tag).toEqual({
      _id: tag._id,
      value: 'vip',
      createdAt: '2026-01-06T12:00:00.000Z',
      updatedAt: '2026-01-06T12:00:00.000Z',
    })
    await expect(create('Vip')).rejects.toMatchObject(exists)
    await expect(create('  ')).rejects.toMatchObject({ kind: 'invalid' })
    expect(await core.contactTags.get(scope, tag._id)).toEqual(tag)
  })

  it('is renamed on contacts, which then have the new tag once', async () => {
    const { core, scope, create, tags } = await start()
    const tag = await create('vip')
    await core.contacts.create(scope, { email: 'a@example.com', tags: ['first', 'vip', 'last'] })
    await core.contacts.create(scope, { email: 'b@example.com', tags: ['first'] })
    expect(await core.contactTags.update(scope, tag._id, { value: 'Friend' })).toMatchObject({ value: 'friend' })
    expect(await tags('a@example.com')).toEqual(['first', 'friend', 'last'])
    expect(await tags('b@example.com')).toEqual(['first'])
  })

  it('cannot take another tag’s name, and then nothing is renamed', async () => {
    const { core, scope, create, tags } = await start()
    const tag = await create('vip')
    await create('friend')
    await core.contacts.create(scope, { email: 'a@example.com', tags: ['vip'] })
    await expect(core.contactTags.update(scope, tag._id, { value: 'FRIEND' })).rejects.toMatchObject(exists)
    expect(await tags('a@example.com')).toEqual(['vip'])
  })

  it('is unchanged by an update without changes', async () => {
    const { core, scope, create } = await start()
    const tag = await create('vip')
    expect(await core.contactTags.update(scope, tag._id, {})).toEqual(tag)
    expect(await core.contactTags.update(scope, tag._id, { value: 'VIP' })).toEqual(tag)
  })

  it('is removed from contacts when it is removed', async () => {
    const { core, scope, create, tags } = await start()
    const tag = await create('vip')
    await core.contacts.create(scope, { email: 'a@example.com', tags: ['first', 'vip'] })
    expect(await core.contactTags.remove(scope, tag._id)).toEqual(tag)
    expect(await tags('a@example.com')).toEqual(['first'])
    await expect(core.contactTags.get(scope, tag._id)).rejects.toMatchObject({ message: 'Contact tag not found' })
  })

  it('belongs to its project only', async () => {
    const { core, scope, create } = await start()
    const tag = await create('vip')
    const other = (await sampleProject(core, { name: 'Other' })).scope
    await core.contacts.create(other, { email: 'a@example.com', tags: ['vip'] })
    const { contactTags, contacts } = core
    await expect(contactTags.update(other, tag._id, { value: 'mine' })).rejects.toMatchObject({ kind: 'not-found' })
    await expect(contactTags.remove(other, tag._id)).rejects.toMatchObject({ kind: 'not-found' })
    await contactTags.remove(scope, tag._id)
    expect((await contacts.get(other, 'a@example.com')).tags).toEqual(['vip'])
  })
})
