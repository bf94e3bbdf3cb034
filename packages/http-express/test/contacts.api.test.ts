import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
  await world.call('createCustomField', { body: { name: 'Favorite Color', type: 'string' } })
  await world.call('createCustomField', { body: { name: 'age', type: 'number' } })
})
afterAll(() => world.client.close())

const create = (body: unknown) => world.call('createContact', { body })

describe('createContact', () => {
  it('keeps the address’s spelling, and returns custom fields as flat keys', async () => {
    const { status, result } = await create({
      email: 'Ada@Example.com',
      name: 'Ada',
      tags: ['VIP', 'vip'],
      favoriteColor: 'blue',
      age: 36,
    })
    expect(status).toBe(201)
    expect(result).toMatchObject({
      email: 'Ada@Example.com',
      name: 'Ada',
      tags: ['vip'],
      favoriteColor: 'blue',
      age: 36,
      _lists: [],
    })
    expect(result).not.toHaveProperty('projectId')
  })

  it('also accepts custom fields inside data, at the legacy path', async () => {
    const { status, result } = await world.call('createContact', {
      spelling: 1,
      body: { email: 'bob@example.com', data: { age: 20 } },
    })
    expect([status, result.age]).toEqual([201, 20])
  })

  it('rejects the same address in another spelling', async () => {
    expect(await create({ email: 'ADA@example.COM' })).toMatchObject({
      status: 400,
      error: { name: 'VALIDATION_ERROR', message: 'Email already exists.' },
    })
  })

  it('reports all violations in one message', async () => {
    const { status, error } = await create({ email: 'no address', tags: 'x', shoeSize: 42, age: 'old' })
    expect(status).toBe(400)
    for (const part of ['Invalid email format', 'tags', 'Unexpected field: shoeSize', 'age'])
      expect(error?.message).toContain(part)
    expect(error?.message).toContain('; ')
  })

  it.each([
    'a@example.com\r\nBcc: b@example.com',
    'a b@example.com',
    '<a@example.com>',
    'a@b',
    '@example.com',
    'a\0@example.com',
  ])('rejects the address %j', async (email) => {
    expect(await create({ email })).toMatchObject({ status: 400, error: { message: 'Invalid email format' } })
  })

  it('names the missing field', async () => {
    expect((await create({})).error?.message).toBe('Missing required field: email')
  })

  it('rejects an address that bounced', async () => {
    await world.call('createSuppression', { body: { email: 'gone@example.com', reason: 'bounce' } })
    expect(await create({ email: 'Gone@example.com' })).toMatchObject({
      status: 405,
      error: { name: 'METHOD_NOT_ALLOWED' },
    })
  })

  it('returns the same 403 without a key, with another project’s key, and for an unknown project', async () => {
    const other = '0'.repeat(24)
    const answers = await Promise.all([
      world.call('createContact', { key: '', body: { email: 'x@example.com' } }),
      world.call('createContact', { key: 'ph_wrong', body: { email: 'x@example.com' } }),
      world.call('createContact', { params: { projectId: other }, body: { email: 'x@example.com' } }),
    ])
    expect(new Set(answers.map(({ status, error }) => `${status} ${error?.name} ${error?.message}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(403)
  })

  it.each([
    ['{"email":', 'not valid JSON'],
    ['"text"', ''],
    ['[1,2]', ''],
    [`{"email":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'levels deep'],
  ])('rejects the body %.20s', async (body, part) => {
    const { status, error } = await create(body)
    expect(status).toBe(400)
    expect(error?.message).toContain(part)
  })

  it('rejects another content type, and a body that is too large', async () => {
    expect(
      (await world.call('createContact', { body: 'email=x', headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(400)
    expect(await create({ email: 'x@example.com', name: 'x'.repeat(1_100_000) })).toMatchObject({
      status: 413,
      error: { name: 'PAYLOAD_TOO_LARGE' },
    })
  })
})

describe('getContact', () => {
  it('finds a contact by any spelling of its address', async () => {
    expect((await world.call('getContact', { params: { email: 'aDA@eXample.com' } })).result.email).toBe(
      'Ada@Example.com',
    )
  })

  it('does not find another project’s contact', async () => {
    const { sampleProject } = await import('@posthorn/testkit')
    const other = await sampleProject(world.core, { name: 'Other' })
    expect(
      (
        await world.client.call('getContact', {
          key: other.key,
          params: { projectId: other.project._id, email: 'ada@example.com' },
        })
      ).error?.message,
    ).toBe('Contact not found')
  })
})

describe('listSubscriptions', () => {
  it('shows the lists of a contact with when and how it joined, in pages', async () => {
    const { _id: listId } = world.project.list
    const form = await world.call('createSignupForm', {
      body: { name: 'Footer', captchaType: 'none', subscriberListIds: [listId] },
    })
    const { _id: formId } = form.result
    const email = 'fan@example.com'
    await world.core.signupForms.submit({ ...world.project.scope, caller: 'origin' }, formId, { email })
    const { result: events } = await world.call('createSubscriberList', { body: { name: 'Events' } })
    world.clock.advance(1)
    await world.call('subscribe', { params: { id: events._id }, body: { email } })
    const page = async (query: Record<string, string>) =>
      (await world.call('listSubscriptions', { params: { email: 'Fan@Example.com' }, query })).result
    expect(await page({ limit: '1' })).toMatchObject({
      items: [{ _id: events._id, name: 'Events', status: 'active' }],
      count: 2,
      next: expect.stringContaining('skip=1'),
    })
    expect(await page({ limit: '1', skip: '1' })).toMatchObject({
      items: [{ _id: listId, name: 'Readers', signupForm: { _id: formId, name: 'Footer' } }],
      count: 2,
      next: null,
    })
    await world.call('deleteContact', { params: { email } })
  })

  it.each([
    [{ email: 'nobody@example.com' }, {}, 404, 'Contact not found'],
    [{ email: 'ada@example.com' }, { sort: 'name' }, 400, 'sort'],
    [{ email: 'ada@example.com' }, { limit: '0' }, 400, 'limit'],
  ])('refuses %j with %j', async (params, query, status, message) => {
    const refused = await world.call('listSubscriptions', { params, query: query as Record<string, string> })
    expect([refused.status, refused.error?.message]).toEqual([status, expect.stringContaining(message)])
  })
})

describe('updateContact', () => {
  it('merges changes, and clears a custom field with null', async () => {
    const { result } = await world.call('updateContact', {
      params: { email: 'ada@example.com' },
      body: { age: null, favoriteColor: 'green' },
    })
    expect(result).toMatchObject({ name: 'Ada', tags: ['vip'], favoriteColor: 'green' })
    expect(result).not.toHaveProperty('age')
  })

  it('changes nothing if nothing is given', async () => {
    const before = (await world.call('getContact', { params: { email: 'ada@example.com' } })).result
    const after = (await world.call('updateContact', { params: { email: 'ada@example.com' }, body: {} })).result
    expect({ ...after, updatedAt: '' }).toEqual({ ...before, updatedAt: '' })
  })
})

describe('updateContact with an address', () => {
  const move = (email: string, to: unknown) => world.call('updateContact', { params: { email }, body: { email: to } })

  it('changes the address, unless it is taken or has bounced', async () => {
    await create({ email: 'mover@example.com' })
    await create({ email: 'taken@example.com' })
    await world.call('createSuppression', { body: { email: 'bounced@example.com', reason: 'bounce' } })
    expect(await move('mover@example.com', 'TAKEN@example.com')).toMatchObject({
      status: 400,
      error: { message: 'Email already exists.' },
    })
    expect((await move('mover@example.com', 'Bounced@example.com')).status).toBe(405)
    expect((await move('mover@example.com', 'moved@example.com')).result.email).toBe('moved@example.com')
    expect((await world.call('getContact', { params: { email: 'mover@example.com' } })).status).toBe(404)
    for (const email of ['moved@example.com', 'taken@example.com'])
      await world.call('deleteContact', { params: { email } })
  })
})

describe('listContacts', () => {
  it('filters by built-in fields, custom fields and tags, and rejects unknown ones', async () => {
    const emails = async (query: Record<string, string>) =>
      (await world.call('listContacts', { query })).result?.items.map((one: { email: string }) => one.email)
    expect(await emails({ 'filter[favoriteColor]': 'green' })).toEqual(['Ada@Example.com'])
    expect(await emails({ 'filter[tags]': 'VIP' })).toEqual(['Ada@Example.com'])
    expect(await emails({ 'filter[age]': '20' })).toEqual(['bob@example.com'])
    expect(await world.call('listContacts', { query: { 'filter[shoeSize]': '1' } })).toMatchObject({ status: 400 })
    expect(await world.call('listContacts', { query: { 'filter[email][$ne]': '1' } })).toMatchObject({ status: 400 })
    expect(await world.call('listContacts', { query: { colour: 'red' } })).toMatchObject({
      status: 400,
      error: { message: 'Unexpected field: colour' },
    })
  })

  it('returns every contact once when the client follows next', async () => {
    for (let n = 0; n < 12; n += 1) await create({ email: `page${n}@example.com` })
    const seen: string[] = []
    let query: Record<string, string> = { limit: '5', sort: 'email', order: 'asc' }
    for (;;) {
      const { result } = await world.call('listContacts', { query })
      seen.push(...result.items.map((one: { email: string }) => one.email))
      if (result.next === null) break
      expect(result.next).toMatch(/^https:\/\/posthorn\.example\.com\/v1\/projectId\//)
      query = Object.fromEntries(new URL(result.next).searchParams)
    }
    expect(seen).toHaveLength(14)
    expect(new Set(seen).size).toBe(14)
  })

  it.each([{ limit: '0' }, { limit: 'x' }, { skip: '-1' }, { sort: 'tags' }, { sort: 'nothing' }, { order: 'up' }])(
    'rejects %j',
    async (query) => {
      expect((await world.call('listContacts', { query: query as Record<string, string> })).status).toBe(400)
    },
  )

  it('caps the limit at 30', async () => {
    expect((await world.call('listContacts', { query: { limit: '1000' } })).status).toBe(200)
  })
})

describe('a whitelisted Origin', () => {
  it('may call the contact endpoints without a key, preflight included; other Origins may not', async () => {
    await world.call('updateProject', { body: { whiteList: ['Shop.example.com'] } })
    const url = `${world.client.base}/v1/projectId/${world.project.project._id}/contacts`
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://shop.example.com',
    ])
    const allowed = await world.call('getContact', {
      key: '',
      params: { email: 'ada@example.com' },
      headers: { origin: 'https://shop.example.com' },
    })
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://shop.example.com',
    ])
    const refused = await world.call('getContact', {
      key: '',
      params: { email: 'ada@example.com' },
      headers: { origin: 'https://evil.example' },
    })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null])
    expect(
      (await world.call('listSegments', { key: '', headers: { origin: 'https://shop.example.com' } })).status,
    ).toBe(403)
  })
})

describe('deleteContact', () => {
  it('returns the contact, and removes it from every list', async () => {
    const list = { id: world.project.list._id }
    await world.call('subscribe', { params: list, body: { email: 'leaver@example.com' } })
    expect((await world.call('deleteContact', { params: { email: 'leaver@example.com' } })).result._lists).toEqual([
      'Readers',
    ])
    expect((await world.call('getSubscriber', { params: { ...list, email: 'leaver@example.com' } })).status).toBe(404)
    expect((await world.call('getContact', { params: { email: 'leaver@example.com' } })).status).toBe(404)
  })
})

describe('a single contact at the legacy path', () => {
  it('also has the ids of its account and project', async () => {
    const { account, project } = world.project
    const owners = { accountId: account._id, projectId: project._id }
    const params = { email: 'older@example.com' }
    const made = await world.call('createContact', { spelling: 1, body: { ...params, age: 20 } })
    expect(made).toMatchObject({ status: 201, result: { ...owners, age: 20 } })
    const { result } = await world.call('getContact', { params })
    expect(result).not.toHaveProperty('accountId')
    expect((await world.call('getContact', { spelling: 1, params })).result).toEqual({ ...result, ...owners })
    const changed = await world.call('updateContact', { spelling: 1, params, body: { data: { age: 21 } } })
    expect(changed.result).toMatchObject({ ...owners, age: 21 })
    expect((await world.call('listContacts', { spelling: 1 })).result.items[0]).not.toHaveProperty('accountId')
    expect((await world.call('deleteContact', { spelling: 1, params })).result).toMatchObject(owners)
  })
})
