import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  for (const type of ['string', 'number', 'boolean', 'date'] as const)
    await core.customFields.create(scope, { name: `${type} field`, type })
  return { core, ports, clock, scope, list, create: (input: unknown) => core.contacts.create(scope, input as never) }
}

const missing = { kind: 'not-found', message: 'Contact not found' }
const exists = { kind: 'invalid', message: 'Email already exists.' }
const flagged = {
  kind: 'blocked',
  message:
    'The provided email has been flagged due to bouncing. If this is incorrect and the email is valid, please contact support.',
}

describe('a contact', () => {
  it('shows its custom fields beside the others, and nothing outside its view', async () => {
    const { core, ports, scope, list, create } = await start()
    const made = await create({
      email: 'Ada@example.com',
      name: 'Ada',
      tags: ['VIP', 'vip ', 'Early'],
      stringField: 'x',
      numberField: 0,
      booleanField: false,
      dateField: '2026-01-06T10:00:00+02:00',
    })
    expect(made).toEqual({
      _id: made._id,
      email: 'Ada@example.com',
      name: 'Ada',
      tags: ['vip', 'early'],
      _lists: [],
      stringField: 'x',
      numberField: 0,
      booleanField: false,
      dateField: '2026-01-06T08:00:00.000Z',
      createdAt: '2026-01-06T12:00:00.000Z',
      updatedAt: '2026-01-06T12:00:00.000Z',
    })
    await core.subscribers.subscribe(scope, list._id, { email: 'ada@example.com' })
    await ports.repositories.contacts.change({ _id: made._id }, (contact) => ({ ...contact, secret: 'x' }))
    expect(await core.contacts.get(scope, 'ada@example.com')).toEqual({ ...made, _lists: ['Readers'] })
  })

  it('also accepts custom fields inside data', async () => {
    const { create } = await start()
    expect(
      await create({ email: 'a@example.com', data: { stringField: 'in', name: 'Ada' }, numberField: 1 }),
    ).toMatchObject({ name: 'Ada', stringField: 'in', numberField: 1 })
  })

  it('reports all violations in one message', async () => {
    const { create } = await start()
    await expect(
      create({
        email: 'nobody@nowhere',
        tags: 'x',
        shoeSize: 3,
        numberField: '3',
        dateField: 'soon',
        data: { booleanField: 1, hat: 2 },
      }),
    ).rejects.toMatchObject({
      kind: 'invalid',
      message: [
        'Invalid email format',
        'tags: expected a list, got a text',
        'booleanField: expected true or false, got 1',
        'Unexpected field: hat',
        'Unexpected field: shoeSize',
        'numberField: expected a number, got a text',
        'dateField: expected an ISO date or date-time',
      ].join('; '),
    })
  })

  it.each([
    [{}, 'Missing required field: email'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, 'Invalid email format'],
    [{ email: 'a@example.com', customFields: {} }, 'Unexpected field: customFields'],
    [{ email: 'a@example.com', projectId: 'x' }, 'Unexpected field: projectId'],
    [{ email: 'a@example.com', _lists: [] }, 'Unexpected field: _lists'],
    [{ email: 'a@example.com', data: { email: 'b@example.com' } }, 'Unexpected field: email'],
    [{ email: 'a@example.com', numberField: Number.NaN }, 'numberField: expected a number, got NaN'],
    [{ email: 'a@example.com', dateField: '2026-02-30' }, 'dateField: expected an ISO date or date-time'],
    [
      { email: 'a@example.com', stringField: 'x'.repeat(5001) },
      'stringField: expected at most 5000 characters, got 5001',
    ],
    [JSON.parse('{"email":"a@example.com","__proto__":{"x":1}}'), 'Unexpected field: __proto__'],
  ])('with %j is rejected: %s', async (input, message) => {
    const { create } = await start()
    await expect(create(input)).rejects.toMatchObject({ kind: 'invalid', message })
  })

  it.each([undefined, null, [], 'ada@example.com'])('cannot be created from %j', async (input) => {
    const { create } = await start()
    await expect(create(input)).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('is unique in its project, in any spelling', async () => {
    const { core, scope, create } = await start()
    await create({ email: 'Ada@example.com' })
    await expect(create({ email: 'aDA@EXAMPLE.com' })).rejects.toMatchObject(exists)
    const other = (await sampleProject(core, { name: 'Other' })).scope
    await expect(core.contacts.get(other, 'ada@example.com')).rejects.toMatchObject(missing)
    await core.contacts.create(other, { email: 'ada@example.com' })
    await core.contacts.remove(other, 'ada@example.com')
    expect((await core.contacts.get(scope, 'ada@example.com')).email).toBe('Ada@example.com')
  })

  it('is found, changed and removed by any spelling of its address', async () => {
    const { core, scope, create } = await start()
    const address = 'Ada.Lovelace+1@Mail.Example.com'
    const spelling = fc.array(fc.boolean(), { minLength: address.length, maxLength: address.length }).map((upper) =>
      Array.from(address)
        .map((c, i) => (upper[i] ? c.toUpperCase() : c.toLowerCase()))
        .join(''),
    )
    await fc.assert(
      fc.asyncProperty(spelling, spelling, spelling, async (one, two, three) => {
        await create({ email: address })
        await expect(create({ email: one })).rejects.toMatchObject(exists)
        expect((await core.contacts.get(scope, one)).email).toBe(address)
        expect((await core.contacts.update(scope, two, { name: two })).name).toBe(two)
        expect((await core.contacts.list(scope, { limit: 1, skip: 0, filter: { email: three } })).count).toBe(1)
        expect((await core.contacts.remove(scope, three)).email).toBe(address)
      }),
      { numRuns: 25 },
    )
  })

  it('cannot be created with or changed to a bounced address; other suppressions do not matter', async () => {
    const { core, scope, create } = await start()
    await core.suppressions.create(scope, { email: 'Bounced@example.com', reason: 'bounce' })
    await core.suppressions.create(scope, { email: 'asked@example.com', reason: 'asked us' })
    await create({ email: 'asked@example.com' })
    await expect(create({ email: 'bounced@example.com' })).rejects.toMatchObject(flagged)
    await expect(
      core.contacts.update(scope, 'asked@example.com', { email: 'BOUNCED@example.com', name: 'X' }),
    ).rejects.toMatchObject(flagged)
    expect(await core.contacts.get(scope, 'asked@example.com')).toMatchObject({ name: '' })
  })

  it('can still be changed otherwise after its address bounced', async () => {
    const { core, scope, create } = await start()
    await create({ email: 'ada@example.com' })
    await core.suppressions.create(scope, { email: 'ada@example.com', reason: 'bounce' })
    const changed = await core.contacts.update(scope, 'ada@example.com', { name: 'Ada', email: 'Ada@example.com' })
    expect(changed).toMatchObject({ name: 'Ada', email: 'Ada@example.com' })
  })

  it('is removed from its lists', async () => {
    const { core, ports, scope, list, create } = await start()
    await create({ email: 'ada@example.com' })
    await core.subscribers.subscribe(scope, list._id, { email: 'ada@example.com' })
    expect(await core.contacts.remove(scope, 'ADA@example.com')).toMatchObject({ _lists: ['Readers'] })
    expect(await ports.repositories.subscribers.get({})).toBeUndefined()
    await expect(core.contacts.get(scope, 'ada@example.com')).rejects.toMatchObject(missing)
    await expect(core.contacts.remove(scope, 'ada@example.com')).rejects.toMatchObject(missing)
    await expect(core.contacts.update(scope, 'ada@example.com', {})).rejects.toMatchObject(missing)
  })

  it('creates tags that do not exist yet', async () => {
    const { core, scope, create } = await start()
    await core.contactTags.create(scope, { value: 'vip' })
    await create({ email: 'ada@example.com', tags: ['VIP', 'Early'] })
    await core.contacts.update(scope, 'ada@example.com', { tags: ['late'] })
    const { items } = await core.contactTags.list(scope, { limit: 10, skip: 0, sort: 'value', order: 'asc' })
    expect(items.map(({ value }) => value)).toEqual(['early', 'late', 'vip'])
  })
})

describe('updating a contact', () => {
  it('to an address of another contact is rejected', async () => {
    const { core, scope, create } = await start()
    await create({ email: 'ada@example.com' })
    await create({ email: 'bob@example.com' })
    await expect(core.contacts.update(scope, 'ada@example.com', { email: 'BOB@example.com' })).rejects.toMatchObject(
      exists,
    )
  })

  it('clears a field with null, and ignores null for absent fields', async () => {
    const { core, scope, create } = await start()
    await create({ email: 'ada@example.com', stringField: 'x', numberField: 1 })
    const update = (input: object) => core.contacts.update(scope, 'ada@example.com', { ...input })
    expect(await update({ stringField: null, data: { dateField: null } })).not.toHaveProperty('stringField')
    expect(await update({ data: { numberField: null } })).not.toHaveProperty('numberField')
  })

  it('without changes leaves the record unchanged', async () => {
    const { core, clock, scope, create } = await start()
    const made = await create({ email: 'ada@example.com', name: 'Ada', tags: ['vip'], numberField: 1 })
    clock.advance(1000)
    for (const input of [{}, { name: 'Ada' }, { tags: ['VIP'], data: { numberField: 1 } }, { dateField: null }])
      expect(await core.contacts.update(scope, 'ada@example.com', input)).toEqual(made)
  })

  it('changes only the given fields', async () => {
    const { core, clock, scope, create } = await start()
    const tag = fc.stringMatching(/^[a-z]{1,8}$/)
    const whole = fc.record({
      name: fc.string({ maxLength: 20 }),
      tags: fc.uniqueArray(tag, { maxLength: 3 }),
      stringField: fc.string({ maxLength: 20 }),
      numberField: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
      booleanField: fc.boolean(),
      dateField: fc
        .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString()),
    })
    const keys = ['name', 'tags', 'stringField', 'numberField', 'booleanField', 'dateField'] as const
    await fc.assert(
      fc.asyncProperty(whole, whole, fc.subarray([...keys]), fc.boolean(), async (before, after, named, nested) => {
        const made = await create({ email: 'ada@example.com', ...before })
        clock.advance(1)
        const changes = Object.fromEntries(named.map((key) => [key, after[key]]))
        const { name, tags, ...custom } = changes
        const input = nested ? { ...(name !== undefined && { name }), ...(tags && { tags }), data: custom } : changes
        const updated = await core.contacts.update(scope, 'ada@example.com', input as never)
        expect({ ...updated, updatedAt: '' }).toEqual({ ...made, ...changes, updatedAt: '' })
        await core.contacts.remove(scope, 'ada@example.com')
      }),
      { numRuns: 100 },
    )
  })
})
