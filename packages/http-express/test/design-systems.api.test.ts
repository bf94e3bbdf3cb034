import { DesignSystemView } from '@posthorn/core/ports/transport'
import { sampleProject } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
beforeEach(async () => {
  world = await aWorld()
})
afterEach(() => world.client.close())

const params = () => ({ id: world.project.project.designSystemId })
const update = (body: unknown) => world.call('updateDesignSystem', { params: params(), body })
const primary = { category: 'variables', key: 'colors', name: 'primary' }

describe('listDesignSystems', () => {
  it('returns the project’s one design system, complete from the start', async () => {
    const { status, result } = await world.call('listDesignSystems')
    expect([status, result.count, result.next]).toEqual([200, 1, null])
    const [own] = result.items
    expect(own?._id).toBe(world.project.project.designSystemId)
    for (const group of ['colors', 'fontStacks', 'images', 'links', 'texts'] as const)
      expect(own?.variables[group].length).toBeGreaterThan(0)
    expect(JSON.stringify(own)).not.toContain('overridden')
  })

  it.each(['name', 'updatedAt', 'createdAt'])('can be sorted by %s', async (sort) => {
    expect((await world.call('listDesignSystems', { query: { sort, order: 'asc' } })).result.count).toBe(1)
  })

  it.each(['_id', 'variables', '__proto__', 'description'])('returns 400 for sorting by %s', async (sort) => {
    expect(await world.call('listDesignSystems', { query: { sort } })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('sort') },
    })
  })

  it('filters and paginates like any list', async () => {
    const list = async (query: Record<string, string>) => (await world.call('listDesignSystems', { query })).result
    expect(await list({ 'filter[name]': 'nothing' })).toEqual({ items: [], count: 0, next: null })
    expect(await list({ 'filter[name]': 'Standard' })).toMatchObject({ count: 1 })
    expect(await list({ 'filter[variables]': 'colors' })).toMatchObject({ count: 0 })
    expect(await list({ skip: '1' })).toEqual({ items: [], count: 1, next: null })
  })

  it('returns 403 for a wrong key', async () => {
    expect((await world.call('listDesignSystems', { key: 'ph_wrong' })).status).toBe(403)
  })
})

describe('updateDesignSystem', () => {
  it('sets overrides, marks them, and resets them', async () => {
    const { status, result } = await update({
      setOverrides: [
        { ...primary, value: '#AA0000', description: 'Our red' },
        { category: 'components', key: 'buttons', name: 'primary', value: { backgroundColor: '#aa0000', padding: 12 } },
        { category: 'font', key: 'resources', name: 'Inter', value: 'https://fonts.example.com/inter.css' },
      ],
    })
    expect(status).toBe(200)
    expect(result.variables.colors[0]).toEqual({
      name: 'primary',
      value: '#AA0000',
      main: true,
      description: 'Our red',
      overridden: true,
    })
    expect(result.components.buttons[0]).toMatchObject({ value: { backgroundColor: '#aa0000', padding: 12 } })
    expect(result.font.resources).toEqual([
      { name: 'Inter', value: 'https://fonts.example.com/inter.css', overridden: true },
    ])
    expect((await world.call('listDesignSystems')).result.items).toEqual([result])
    const reset = await update({
      resetOverrides: [primary, { category: 'font', key: 'resources', name: 'Inter' }],
    })
    expect(reset.result.variables.colors[0]).toMatchObject({ value: '#0b5d66', main: true })
    expect(reset.result.variables.colors[0]).not.toHaveProperty('overridden')
    expect(reset.result.font.resources).toEqual([])
  })

  it('accepts empty changes, and resets of entries that were never overridden', async () => {
    const before = (await world.call('listDesignSystems')).result.items[0]
    expect((await update({})).result).toMatchObject({ variables: before?.variables })
    expect((await update({ resetOverrides: [primary, { ...primary, name: 'unheard of' }] })).status).toBe(200)
  })

  it.each([
    [{ ...primary, value: 'red' }, 'setOverrides[0].value: expected a color as #rrggbb'],
    [{ ...primary }, 'Missing required field: setOverrides[0].value'],
    [{ value: '#ffffff' }, 'Missing required field: setOverrides[0].category'],
    [{ ...primary, key: 'buttons', value: '#ffffff' }, 'setOverrides[0].key: expected one of colors, fontStacks'],
    [{ ...primary, category: 'theme', value: '#ffffff' }, 'setOverrides[0].category'],
    [{ ...primary, name: 'brand', value: '#ffffff' }, 'the design system has no brand in variables.colors'],
    [{ ...primary, value: '#ffffff', colour: 1 }, 'Unexpected field: setOverrides[0].colour'],
    [{ ...primary, value: '#ffffff', main: 'yes' }, 'setOverrides[0].main'],
    [{ category: 'variables', key: 'links', name: 'website', value: 'javascript:alert(1)' }, 'http or https URL'],
    [
      { category: 'font', key: 'resources', name: 'a\u0000b', value: 'https://example.com/a.css' },
      'control characters',
    ],
    [{ category: 'font', key: 'stacks', name: 'x', value: 'Arial;} body{display:none' }, 'font stack'],
    [{ category: 'components', key: 'texts', name: 'body', value: 'color:red' }, 'expected a style object'],
    [
      { category: 'components', key: 'texts', name: 'body', value: { color: '</style>' } },
      'must not contain ; { } < or >',
    ],
    [{ category: 'components', key: 'texts', name: 'body', value: { constructor: 'x' } }, 'expected property names'],
    [{ category: 'components', key: 'texts', name: 'body', value: { color: { r: 1 } } }, 'setOverrides[0].value.color'],
  ])('returns 400 for setting %j', async (one, message) => {
    const { status, error } = await update({ setOverrides: [one] })
    expect([status, error?.name]).toEqual([400, 'VALIDATION_ERROR'])
    expect(error?.message).toContain(message)
    expect((await world.call('listDesignSystems')).result.items[0]).not.toMatchObject({ overridden: true })
  })

  it('returns 400 for a key named like a prototype', async () => {
    const body = `{"setOverrides":[{"category":"components","key":"texts","name":"body","value":{"__proto__":{"x":1}}}]}`
    expect((await update(body)).error?.message).toContain('expected property names')
  })

  it('reports all violations at once', async () => {
    const { error } = await update({
      setOverrides: [
        { ...primary, value: 'red' },
        { ...primary, name: 'brand', value: '#ffffff' },
      ],
      resetOverrides: [{ category: 'font', key: 'stacks' }],
      theme: 1,
    })
    expect(error?.message.split('; ')).toEqual([
      'setOverrides[0].value: expected a color as #rrggbb',
      'setOverrides[1].name: the design system has no brand in variables.colors',
      'Missing required field: resetOverrides[0].name',
      'Unexpected field: theme',
    ])
  })

  it('returns 400 for an entry set twice, or both set and reset', async () => {
    const set = { ...primary, value: '#ffffff' }
    expect((await update({ setOverrides: [set, set] })).error?.message).toBe(
      'setOverrides: variables.colors.primary is set twice',
    )
    expect((await update({ setOverrides: [set], resetOverrides: [primary] })).error?.message).toBe(
      'resetOverrides: variables.colors.primary is set in the same request',
    )
  })

  it('returns 404 for other design systems', async () => {
    const other = await sampleProject(world.core, { name: 'Other' })
    for (const id of [other.project.designSystemId, 'nothing'])
      expect(await world.call('updateDesignSystem', { params: { id }, body: {} })).toMatchObject({
        status: 404,
        error: { name: 'NOT_FOUND', message: 'Design system not found.' },
      })
  })

  it('returns 403 for a wrong key', async () => {
    expect((await world.call('updateDesignSystem', { params: params(), body: {}, key: 'ph_wrong' })).status).toBe(403)
  })
})

describe('the base design system', () => {
  it('has only values that can also be set', async () => {
    const { result } = await world.call('listDesignSystems')
    const own = DesignSystemView.parse(result.items[0])
    const setOverrides = (['variables', 'font', 'components'] as const).flatMap((category) =>
      Object.entries(own[category]).flatMap(([key, entries]) =>
        (entries as readonly { readonly name: string; readonly value: unknown }[]).map(({ name, value }) => ({
          category,
          key,
          name,
          value,
        })),
      ),
    )
    const answer = await update({ setOverrides })
    expect([answer.status, answer.error]).toEqual([200, undefined])
  })
})
