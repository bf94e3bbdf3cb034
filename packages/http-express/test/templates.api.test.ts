import { sampleProject } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
beforeEach(async () => {
  world = await aWorld()
})
afterEach(() => world.client.close())

const document = {
  tagName: 'mjml',
  children: [
    {
      tagName: 'mj-body',
      children: [
        { tagName: 'mj-text', attributes: { color: '{{design.colors.primary}}' }, content: 'Dear {{contact.name}}' },
        { tagName: 'mj-button', attributes: { href: '{{unsubscribeLink}}' }, content: 'Leave' },
      ],
    },
  ],
}
const fields = { name: 'Welcome', subject: 'Hello {{contact.name}}', document }
const create = (body: unknown = fields) => world.call('createTemplate', { body })
const missing = '0'.repeat(24)

describe('createTemplate', () => {
  it('returns 201 with what the document uses, without the document', async () => {
    const { status, result } = await create()
    expect(status).toBe(201)
    expect(result).toEqual({
      _id: expect.any(String),
      name: 'Welcome',
      subject: 'Hello {{contact.name}}',
      tags: [],
      onProjectCreation: 'do-nothing',
      usedVariables: ['contact.name', 'design.colors.primary', 'unsubscribeLink'],
      usedComponents: ['mj-body', 'mj-button', 'mj-text', 'mjml'],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
  })

  it.each([{}, [], 'a string', 0, false, { type: 'anything', rows: [[[]]] }])(
    'accepts any document: %j',
    async (one) => {
      expect((await create({ ...fields, document: one })).status).toBe(201)
    },
  )

  it.each([
    [{}, 'Missing required field: name; Missing required field: subject; Missing required field: document'],
    [{ ...fields, document: null }, 'document: expected the editor’s JSON'],
    [{ ...fields, onProjectCreation: 'explode' }, 'onProjectCreation'],
    [{ ...fields, usedVariables: [] }, 'Unexpected field: usedVariables'],
    [{ ...fields, tags: 'vip' }, 'tags'],
    [{ ...fields, subject: 'a\r\nBcc: b' }, 'subject: must not contain line breaks'],
    [{ ...fields, subject: '{{wrong', previewText: '{{#nothing}}' }, 'previewText: line 1'],
  ])('returns 400 for %j', async (body, message) => {
    const { status, error } = await create(body)
    expect(status).toBe(400)
    expect(error?.message).toContain(message)
  })

  it('returns 403 for a wrong key', async () => {
    expect((await world.call('createTemplate', { body: fields, key: 'ph_wrong' })).status).toBe(403)
  })
})

describe('listTemplates', () => {
  it('filters templates by their fields and what they use', async () => {
    const { result } = await create({ ...fields, tags: ['onboarding'] })
    await create({ ...fields, name: 'Other', document: {} })
    const found = async (query: Record<string, string>) =>
      (await world.call('listTemplates', { query })).result.items.map(({ _id }) => _id)
    expect(await found({ 'filter[tags]': 'onboarding' })).toEqual([result._id])
    expect(await found({ 'filter[usedVariables]': 'contact.name' })).toEqual([result._id])
    expect(await found({ sort: 'name', order: 'desc', limit: '1' })).toEqual([result._id])
    expect((await world.call('listTemplates', { query: { 'filter[document]': 'x' } })).status).toBe(400)
    expect((await world.call('listTemplates', { key: 'ph_wrong' })).status).toBe(403)
  })
})

describe('getTemplate', () => {
  it('returns 200 for the project’s template, 404 for another’s, and 403 for a wrong key', async () => {
    const { result } = await create()
    const get = (id: string, key = world.project.key) => world.call('getTemplate', { params: { id }, key })
    expect((await get(result._id)).result).toEqual(result)
    expect((await get(missing)).error?.message).toBe('Template not found')
    expect((await get(result._id, 'ph_wrong')).status).toBe(403)
    const other = await sampleProject(world.core, { name: 'Other' })
    const foreign = await world.client.call('getTemplate', {
      key: other.key,
      params: { projectId: other.project._id, id: result._id },
    })
    expect(foreign.status).toBe(404)
  })
})

describe('updateTemplate', () => {
  it('merges changes, removes an empty previewText, and analyses a new document', async () => {
    const { result } = await create({
      ...fields,
      previewText: 'Soon',
      tags: ['a'],
      onProjectCreation: 'set-as-campaign',
    })
    const params = { id: result._id }
    const update = (body: unknown) => world.call('updateTemplate', { params, body })
    expect((await update({})).result).toMatchObject({ previewText: 'Soon', tags: ['a'] })
    const { result: changed } = await update({ previewText: '', document: { type: 'button', label: '{{data.x}}' } })
    expect(changed).not.toHaveProperty('previewText')
    expect(changed).toMatchObject({
      name: 'Welcome',
      tags: ['a'],
      onProjectCreation: 'set-as-campaign',
      usedVariables: ['data.x'],
      usedComponents: ['button'],
    })
    expect((await update({ subject: 'Other' })).result.usedVariables).toEqual(['data.x'])
  })

  it('returns 400, 403 and 404 like createTemplate', async () => {
    const { result } = await create()
    const params = { id: result._id }
    expect((await world.call('updateTemplate', { params, body: { name: '', document: null } })).status).toBe(400)
    expect((await world.call('updateTemplate', { params, body: {}, key: 'ph_wrong' })).status).toBe(403)
    expect((await world.call('updateTemplate', { params: { id: missing }, body: {} })).status).toBe(404)
  })
})

describe('deleteTemplate', () => {
  it('returns the template once, then 404, and 403 for a wrong key', async () => {
    const { result } = await create()
    const remove = (key = world.project.key) => world.call('deleteTemplate', { params: { id: result._id }, key })
    expect((await remove('ph_wrong')).status).toBe(403)
    expect(await remove()).toMatchObject({ status: 200, result })
    expect((await remove()).status).toBe(404)
  })
})
