import { type Core, createCore, type Scope } from '@posthorn/core'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import { type BulkAnswer, UnreadableRow } from '@posthorn/core/ports/transport'
import { inMemoryPorts, portsKilledAtWrite, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const query = { limit: 30, skip: 0 }
/** What differs between two contacts that are otherwise alike. */
const anyIdentity = { _id: '', createdAt: '', updatedAt: '' }

const start = async (settings: object = {}) => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore({ ...ports, settings: { ...ports.settings, ...settings }, sleep: async () => {} })
  const { scope, list } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'age', type: 'number' })
  await core.customFields.create(scope, { name: 'city', type: 'string' })
  const run = (contacts: readonly unknown[], options: object = {}) =>
    core.contacts.bulk.run(scope, { contacts: contacts as never }, options)
  const told = async (contacts: readonly unknown[], options: object = {}) =>
    (await run(contacts, options)).results.map(({ status, violations }) => violations?.join('; ') ?? status)
  return { core, ports, clock, scope, list, run, told }
}

const keyed = (core: Core, scope: Scope, contacts: readonly unknown[], key = 'k') => {
  const body = { contacts: contacts as never }
  return core.idempotency.once(scope, {
    operation: 'bulkContacts',
    key,
    fingerprint: 'f',
    run: (inside) => core.contacts.bulk.run(inside, body),
    made: (inside) => core.contacts.bulk.made(inside, body),
  })
}

describe('contacts in bulk', () => {
  it('are created, changed or left, one result per row, in order', async () => {
    const { core, scope, run } = await start()
    await core.contacts.create(scope, { email: 'known@example.com', name: 'Known', tags: ['old'] })
    await core.contacts.create(scope, { email: 'same@example.com', age: 3 })
    const { counts, results } = await run([
      { email: 'new@example.com', name: 'New', age: 36, tags: ['VIP'], city: 'Graz' },
      { email: 'KNOWN@example.com', age: 4 },
      { email: 'same@example.com', age: 3 },
      { email: 'nobody', age: 'old', shoe: 1 },
    ])
    expect(counts).toEqual({ created: 1, updated: 1, unchanged: 1, failed: 1 })
    const contact = await core.contacts.get(scope, 'new@example.com')
    expect(contact).toMatchObject({ name: 'New', age: 36, tags: ['vip'], city: 'Graz' })
    expect(results[0]).toEqual({ email: 'new@example.com', status: 'created', _id: contact._id })
    expect(results.map(({ status }) => status)).toEqual(['created', 'updated', 'unchanged', 'failed'])
    expect(results[3]).toEqual({
      email: 'nobody',
      status: 'failed',
      violations: ['Invalid email format', 'age: expected a number, got a text', 'Unexpected field: shoe'],
    })
    expect(await core.contacts.get(scope, 'known@example.com')).toMatchObject({
      email: 'known@example.com',
      name: 'Known',
      tags: ['old'],
      age: 4,
    })
  })

  it('read a row as the creation of a single contact does', async () => {
    const { core, scope, run } = await start()
    const rows = [
      { email: ' Ada@Bücher.example ', data: { age: 3, name: 'Ada' } },
      { email: 'b@example.com', name: '', age: null, tags: [' A ', 'a'] },
      { email: 'c@example.com', tags: 'a' },
      { email: 'd@example.com', tags: [''] },
      { email: 'e@example.com', name: 'x'.repeat(301) },
      { email: 'f@example.com', name: 'a\u0000' },
      { email: 'g@example.com', city: 'x'.repeat(5001) },
      JSON.parse('{"email":"h@example.com","__proto__":{"x":1}}'),
      { email: 'i@example.com', status: 'active' },
      {},
      null,
      [],
      'x',
    ]
    const { results } = await run(rows)
    for (const [index, row] of rows.entries()) {
      const other = await start()
      const single = await other.core.contacts.create(other.scope, row as never).then(
        (contact) => ({ ...contact, ...anyIdentity }),
        (error: Error) => error.message,
      )
      const result = results[index]
      const bulk =
        result?._id === undefined
          ? result?.violations?.join('; ')
          : await core.contacts.get(scope, result.email).then((contact) => ({ ...contact, ...anyIdentity }))
      expect(bulk).toEqual(single)
    }
  })

  it('apply the rows of one address in order, whatever its case, in one write', async () => {
    const { core, ports, scope } = await start()
    let writes = 0
    const membershipStore: typeof ports.membershipStore = {
      ...ports.membershipStore,
      upsertMembers: (upserts) => {
        writes += upserts.length
        return ports.membershipStore.upsertMembers(upserts)
      },
    }
    const counting = createCore({ ...ports, membershipStore })
    const contacts = Array.from({ length: 500 }, (_, age) => ({
      email: age % 2 ? 'ada@example.com' : 'ADA@example.com',
      age,
    }))
    const { counts, results } = await counting.contacts.bulk.run(scope, { contacts })
    expect(counts).toEqual({ created: 1, updated: 499, unchanged: 0, failed: 0 })
    expect(new Set(results.map(({ _id }) => _id)).size).toBe(1)
    expect(writes).toBe(1)
    expect(await core.contacts.get(scope, 'ada@example.com')).toMatchObject({ email: 'ADA@example.com', age: 499 })
  })

  it('skip known contacts, or add tags, if asked', async () => {
    const { core, scope, told } = await start()
    await core.contacts.create(scope, { email: 'known@example.com', tags: ['a'], age: 1 })
    const known = { email: 'known@example.com', tags: ['b'], age: 2 }
    const again = [
      { email: 'new@example.com', age: 1 },
      { email: 'new@example.com', age: 2 },
    ]
    expect(await told([known, ...again], { existing: 'skip' })).toEqual(['unchanged', 'created', 'unchanged'])
    expect(await core.contacts.get(scope, 'known@example.com')).toMatchObject({ tags: ['a'], age: 1 })
    expect(await told([known], { tags: 'add' })).toEqual(['updated'])
    expect(await core.contacts.get(scope, 'known@example.com')).toMatchObject({ tags: ['a', 'b'], age: 2 })
    const many = Array.from({ length: 499 }, (_, n) => `t${n}`)
    expect(await told([{ email: 'known@example.com', tags: many }], { tags: 'add' })).toEqual([
      'tags: at most 500 for a contact',
    ])
    await expect(told([known], { existing: 'replace' })).rejects.toMatchObject({ kind: 'invalid' })
  })

  it('refuse bounced addresses, and tags beyond the limit of the project', async () => {
    const { core, scope, told } = await start({ limits: { ...inMemoryPorts().ports.settings.limits, contactTags: 2 } })
    await core.suppressions.create(scope, { email: 'bounced@example.com', reason: 'bounce' })
    await core.suppressions.create(scope, { email: 'asked@example.com' })
    expect(await told([{ email: 'BOUNCED@example.com' }, { email: 'asked@example.com', tags: ['a', 'b'] }])).toEqual([
      expect.stringContaining('flagged due to bouncing'),
      'created',
    ])
    expect(
      await told([
        { email: 'c@example.com', tags: ['a'] },
        { email: 'd@example.com', tags: ['c'] },
      ]),
    ).toEqual(['created', expect.stringContaining('2 tags')])
  })

  it('may be none, and at most 5,000', async () => {
    const { run, told } = await start()
    expect(await run([])).toEqual({ counts: { created: 0, updated: 0, unchanged: 0, failed: 0 }, results: [] })
    await expect(run(Array.from({ length: 5001 }, () => ({})))).rejects.toThrow(/5000 rows at most, got 5001/)
    await expect(run('x' as never)).rejects.toThrow('contacts: expected a list, got a text')
    await expect(run(undefined as never)).rejects.toThrow('Missing required field: contacts')
    expect(await told([new UnreadableRow('The row is not valid JSON.')])).toEqual(['The row is not valid JSON.'])
  })

  it('with an Idempotency-Key are taken once, with the same results', async () => {
    const { core, scope } = await start()
    const rows = Array.from({ length: 1200 }, (_, n) => ({ email: n % 100 ? `p${n}@example.com` : 'broken' }))
    const first = await keyed(core, scope, rows)
    expect(first).toMatchObject({ isReplayed: false, result: { counts: { created: 1188, failed: 12 } } })
    expect(await keyed(core, scope, rows)).toEqual({ ...first, isReplayed: true })
    expect((await core.contacts.list(scope, query)).count).toBe(1188)
  })

  it.each(['before', 'after'] as const)(
    'give the same results when their process dies %s any of its writes',
    async (when) => {
      const rows = [
        ...Array.from({ length: 1001 }, (_, n) => ({ email: `p${n}@example.com`, age: n })),
        { email: 'known@example.com', age: 2, tags: ['x'] },
        { email: 'same@example.com' },
        { email: 'broken' },
        { email: 'P0@example.com', city: 'Graz' },
      ]
      const begin = async () => {
        const world = await start()
        await world.core.contacts.create(world.scope, { email: 'known@example.com', age: 1 })
        await world.core.contacts.create(world.scope, { email: 'same@example.com' })
        return world
      }
      const plain = (answer: Awaited<ReturnType<typeof keyed>>) => {
        const { counts, results } = (answer as { readonly result: unknown }).result as BulkAnswer
        return { counts, results: results.map(({ _id, ...result }) => ({ ...result, hasId: _id !== undefined })) }
      }
      const whole = await begin()
      const expected = plain(await keyed(whole.core, whole.scope, rows))
      let deaths = 0
      for (let at = 1; ; at += 1) {
        const { core, ports, clock, scope } = await begin()
        const { settings, ...others } = ports
        const dying = createCore({ ...portsKilledAtWrite(others, at, when), settings, sleep: async () => {} })
        const died = await keyed(dying, scope, rows).then(
          () => false,
          () => true,
        )
        if (!died) break
        deaths += 1
        clock.advance(61_000)
        const again = await keyed(core, scope, rows)
        expect(plain(again)).toEqual(expected)
        expect(await keyed(core, scope, rows)).toEqual({ ...again, isReplayed: true })
        expect((await core.contacts.list(scope, query)).count).toBe(1003)
      }
      expect(deaths).toBeGreaterThan(3)
    },
  )

  it('end as unavailable when the store fails, and are finished by a repetition', async () => {
    const { core, ports, scope } = await start()
    const membershipStore: typeof ports.membershipStore = {
      ...ports.membershipStore,
      upsertMembers: async (upserts) => {
        if (upserts.some(({ contact }) => contact?.email === 'p1500@example.com'))
          throw new StoreUnavailable(new Error('too slow'))
        return ports.membershipStore.upsertMembers(upserts)
      },
    }
    const failing = createCore({ ...ports, membershipStore, sleep: async () => {} })
    const rows = Array.from({ length: 2000 }, (_, n) => ({ email: `p${n}@example.com` }))
    await expect(keyed(failing, scope, rows)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    expect(await keyed(core, scope, rows)).toMatchObject({ result: { counts: { created: 2000 } } })
    expect((await core.contacts.list(scope, query)).count).toBe(2000)
  })
})
