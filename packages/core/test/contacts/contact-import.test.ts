import { createCore, type ImportRow, type ImportRowResult } from '@posthorn/core'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, list } = await sampleProject(core)
  await core.customFields.create(scope, { name: 'Favorite Color', type: 'string' })
  await core.customFields.create(scope, { name: 'age', type: 'number' })
  await core.customFields.create(scope, { name: 'member', type: 'boolean' })
  await core.customFields.create(scope, { name: 'since', type: 'date' })
  const run = async (values: readonly Record<string, unknown>[], options: object = {}) => {
    const results: ImportRowResult[] = []
    const rows = values.map((row, index) => ({ line: index + 2, values: row }))
    for await (const result of core.contacts.import(scope, rows, options)) results.push(result)
    return results
  }
  return { core, ports, clock, scope, list, run, count: async () => (await core.contacts.list(scope, query)).count }
}

const query = { limit: 10, skip: 0 }
const outcomes = (results: readonly ImportRowResult[]) =>
  results.map((result) => (result.ok ? result.outcome : result.error))

describe('an import of contacts', () => {
  it('parses cells by field type, and headings as field names', async () => {
    const { core, scope, run } = await start()
    const row = {
      Email: ' ada@example.com ',
      name: 'Ada',
      'Favorite Color': 'red',
      AGE: '36.5',
      member: 'Yes',
      since: ' 2026-01-06',
      tags: 'VIP; early,',
    }
    expect(await run([row])).toEqual([{ line: 2, ok: true, outcome: 'created' }])
    expect(await core.contacts.get(scope, 'ada@example.com')).toMatchObject({
      name: 'Ada',
      favoriteColor: 'red',
      age: 36.5,
      member: true,
      since: '2026-01-06T00:00:00.000Z',
      tags: ['vip', 'early'],
    })
    expect((await core.contactTags.list(scope, query)).count).toBe(2)
  })

  it('reports every invalid row by line, and continues', async () => {
    const { run, count } = await start()
    const results = await run([
      { email: 'a@example.com' },
      { email: 'nobody', age: 'old', shoe: '1' },
      { email: '' },
      { email: 'b@example.com', member: 'perhaps' },
      { email: 'c@example.com', age: '' },
    ])
    expect(results).toEqual([
      { line: 2, ok: true, outcome: 'created' },
      {
        line: 3,
        ok: false,
        error: 'Invalid email format; age: expected a number, got a text; Unexpected field: shoe',
      },
      { line: 4, ok: false, error: 'Missing required field: email' },
      { line: 5, ok: false, error: 'member: expected true or false, got a text' },
      { line: 6, ok: true, outcome: 'created' },
    ])
    expect(await count()).toBe(2)
  })

  it('updates existing contacts, and ignores empty cells', async () => {
    const { core, clock, scope, run } = await start()
    await core.contacts.create(scope, { email: 'Ada@example.com', name: 'Ada', tags: ['vip'], age: 3 })
    clock.advance(1000)
    expect(outcomes(await run([{ email: 'ada@EXAMPLE.com', name: '', age: '4' }]))).toEqual(['updated'])
    expect(await core.contacts.get(scope, 'ada@example.com')).toMatchObject({
      email: 'Ada@example.com',
      name: 'Ada',
      tags: ['vip'],
      age: 4,
      updatedAt: '2026-01-06T12:00:01.000Z',
    })
  })

  it('processes rows of one address in order', async () => {
    const { core, scope, list, run } = await start()
    const rows = ['1', '2', '3'].map((age) => ({ email: 'ada@example.com', age }))
    expect(outcomes(await run(rows, { subscriberListId: list._id }))).toEqual(['created', 'updated', 'updated'])
    expect(await core.contacts.get(scope, 'ada@example.com')).toMatchObject({ age: 3 })
  })

  it('subscribes contacts that are not on the list, and resubscribes nobody', async () => {
    const { core, scope, list, run } = await start()
    await core.subscribers.subscribe(scope, list._id, { email: 'left@example.com' })
    await core.subscribers.update(scope, list._id, 'left@example.com', { status: 'unsubscribed' })
    await core.contacts.create(scope, { email: 'known@example.com' })
    const rows = [{ email: 'left@example.com' }, { email: 'known@example.com' }, { email: 'new@example.com' }]
    const options = { subscriberListId: list._id, status: 'unverified' }
    expect(outcomes(await run(rows, options))).toEqual(['unchanged', 'updated', 'created'])
    const statuses = async (name: string) => (await core.subscribers.get(scope, list._id, `${name}@example.com`)).status
    expect([await statuses('left'), await statuses('known'), await statuses('new')]).toEqual([
      'unsubscribed',
      'unverified',
      'unverified',
    ])
  })

  it('excludes bounced and suppressed addresses', async () => {
    const { core, scope, list, run, count } = await start()
    await core.suppressions.create(scope, { email: 'bounced@example.com', reason: 'bounce' })
    await core.suppressions.create(scope, { email: 'asked@example.com' })
    const rows = [{ email: 'BOUNCED@example.com' }, { email: 'asked@example.com' }]
    expect(outcomes(await run(rows, { subscriberListId: list._id }))).toEqual([
      expect.stringContaining('flagged due to bouncing'),
      'The provided email is on the suppression list.',
    ])
    expect(await count()).toBe(0)
    expect(outcomes(await run(rows))).toEqual([expect.stringContaining('flagged'), 'created'])
  })

  it('requires a list of the project and valid options', async () => {
    const { core, run, count } = await start()
    const other = await sampleProject(core, { name: 'Other' })
    const rows = [{ email: 'a@example.com' }]
    await expect(run(rows, { subscriberListId: other.list._id })).rejects.toMatchObject({ kind: 'not-found' })
    await expect(run(rows, { status: 'paused' })).rejects.toMatchObject({ kind: 'invalid' })
    expect(await count()).toBe(0)
  })

  it('continues if the store fails for one row, and ends if it is down', async () => {
    const { ports, scope } = await start()
    const { contacts } = ports.repositories
    let isGone = false
    const failing = {
      ...contacts,
      each: (...where: Parameters<typeof contacts.each>) => {
        if (isGone) throw new Error('The store is gone')
        return contacts.each(...where)
      },
    }
    const membershipStore: typeof ports.membershipStore = {
      ...ports.membershipStore,
      upsertMembers: async (upserts) => {
        const answers = await ports.membershipStore.upsertMembers(
          upserts.filter(({ contact }) => contact?.email !== 'bad@example.com'),
        )
        return upserts.map(({ contact }, n) =>
          contact?.email === 'bad@example.com' ? new Error('Not this one') : answers[n],
        )
      },
    }
    const sleep = async () => {}
    const core = createCore({
      ...ports,
      sleep,
      membershipStore,
      repositories: { ...ports.repositories, contacts: failing },
    })
    const run = async () => {
      const results: ImportRowResult[] = []
      const rows = ['a', 'bad', 'b'].map((name, line) => ({ line, values: { email: `${name}@example.com` } }))
      for await (const result of core.contacts.import(scope, rows)) results.push(result)
      return outcomes(results)
    }
    expect(await run()).toEqual(['created', 'The row could not be kept: Not this one', 'created'])
    isGone = true
    await expect(run()).rejects.toThrow('The store is gone')
  })

  it('retries a failed batch with fewer rows, and blames no row', async () => {
    const { ports, scope } = await start()
    const sizes: number[] = []
    const membershipStore: typeof ports.membershipStore = {
      ...ports.membershipStore,
      upsertMembers: async (upserts) => {
        sizes.push(upserts.length)
        if (upserts.length > 300) return upserts.map(() => new StoreUnavailable(new Error('too slow')))
        return ports.membershipStore.upsertMembers(upserts)
      },
    }
    const core = createCore({ ...ports, membershipStore, sleep: async () => {} })
    const rows = Array.from({ length: 1000 }, (_, n) => ({ line: n + 2, values: { email: `r${n}@example.com` } }))
    const results: ImportRowResult[] = []
    for await (const result of core.contacts.import(scope, rows)) results.push(result)
    expect(new Set(outcomes(results))).toEqual(new Set(['created']))
    expect(results.map(({ line }) => line)).toEqual(rows.map(({ line }) => line))
    expect(sizes).toEqual([1000, 1000, 500, 250, 250, 250, 250])
  })

  it('ends at the line where the store keeps failing, and continues there when repeated', async () => {
    const { ports, scope } = await start()
    let isSlow = true
    const membershipStore: typeof ports.membershipStore = {
      ...ports.membershipStore,
      upsertMembers: async (upserts) => {
        if (isSlow && upserts.some(({ contact }) => contact?.email === 'r1200@example.com'))
          throw new StoreUnavailable(new Error('too slow'))
        return ports.membershipStore.upsertMembers(upserts)
      },
    }
    const core = createCore({ ...ports, membershipStore, sleep: async () => {} })
    const rows = Array.from({ length: 1500 }, (_, n) => ({ line: n + 2, values: { email: `r${n}@example.com` } }))
    const results: ImportRowResult[] = []
    const run = async () => {
      for await (const result of core.contacts.import(scope, rows)) results.push(result)
    }
    await expect(run()).rejects.toMatchObject({ name: 'ImportInterrupted', line: 1127 })
    expect(new Set(outcomes(results))).toEqual(new Set(['created']))
    isSlow = false
    results.splice(0)
    await run()
    expect(results.filter(({ ok }) => ok)).toHaveLength(1500)
    expect((await core.contacts.list(scope, query)).count).toBe(1500)
  })

  it('handles any cell content', async () => {
    const { run } = await start()
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u0000',
        '\ud800',
        '__proto__',
        'x'.repeat(6000),
        'a,'.repeat(600),
        '9'.repeat(400),
        '-0',
        'NaN',
      ),
    )
    const email = fc.oneof(cell, fc.constantFrom('a@example.com', 'b@example.com'))
    const columns = { email, name: cell, tags: cell, 'Favorite Color': cell, age: cell, member: cell, since: cell }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record(columns), { minLength: 1, maxLength: 5 }), async (rows) => {
        expect(await run(rows)).toHaveLength(rows.length)
      }),
      { numRuns: 100 },
    )
  })

  it('keeps the order of rows across batches', async () => {
    const { run } = await start()
    const results = await run(
      Array.from({ length: 1203 }, (_, i) => ({ email: i % 7 ? `r${i % 900}@example.com` : 'broken' })),
    )
    expect(results.map(({ line }) => line)).toEqual(Array.from({ length: 1203 }, (_, i) => i + 2))
    expect(results.filter(({ ok }) => !ok)).toHaveLength(172)
  })

  it('ends a batch early if its rows are long, to bound memory', async () => {
    const { core, scope } = await start()
    const rows = async function* () {
      yield Array.from({ length: 10 }, (_, line) => ({ line, values: { email: 'x', name: 'x'.repeat(1_000_000) } }))
    }
    const lengths: number[] = []
    for await (const results of core.contacts.importBatches(scope, rows())) lengths.push(results.length)
    expect(lengths).toEqual([4, 4, 2])
  })

  it('sees what earlier batches have written', async () => {
    const { core, scope, run } = await start()
    const row = (i: number) => ({ email: `r${i % 1000}@example.com`, age: String(i) })
    const results = outcomes(await run(Array.from({ length: 2001 }, (_, i) => row(i))))
    expect(new Set(results.slice(0, 1000))).toEqual(new Set(['created']))
    expect(new Set(results.slice(1000))).toEqual(new Set(['updated']))
    expect(await core.contacts.get(scope, 'r0@example.com')).toMatchObject({ age: 2000 })
  })

  it('ends with the same result if repeated after an interruption', async () => {
    const row = fc.record({
      email: fc.constantFrom('a@example.com', 'A@example.com', 'b@example.com', 'c@example.com', 'broken'),
      age: fc.constantFrom('1', '2', ''),
      tags: fc.constantFrom('', 'x', 'x,y'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), fc.nat(12), async (rows, done) => {
        const [whole, broken] = [await start(), await start()]
        const ends = []
        for (const { world, first } of [
          { world: whole, first: [] },
          { world: broken, first: rows.slice(0, done) },
        ]) {
          const options = { subscriberListId: world.list._id }
          await world.run(first, options)
          await world.run(rows, options)
          const { items } = await world.core.contacts.list(world.scope, { ...query, sort: 'email', order: 'asc' })
          const { count } = await world.core.subscribers.list(world.scope, world.list._id, query)
          ends.push({ count, items: items.map(({ email, tags, age, _lists }) => ({ email, tags, age, _lists })) })
          expect((await world.run(rows, options)).filter(({ ok }) => ok)).toHaveLength(
            rows.filter(({ email }) => email !== 'broken').length,
          )
        }
        expect(ends[1]).toEqual(ends[0])
      }),
      { numRuns: 40 },
    )
  })

  it('runs at most one batch ahead of its consumer', async () => {
    const { core, scope, count } = await start()
    let read = 0
    async function* rows() {
      for (; ; read += 1) yield { line: read, values: { email: `r${read}@example.com` } }
    }
    for await (const { line } of core.contacts.import(scope, rows())) if (line === 700) break
    expect(read).toBeLessThan(2001)
    expect(await count()).toBe(2000)
  })
})

describe('an import of memberships that another system recorded', () => {
  const joinedAt = '2020-01-02T03:04:05.000Z'
  const changedAt = '2021-01-02T03:04:05.000Z'
  const row = (email: string, membership: object) => ({ line: 1, values: { email }, membership }) as ImportRow
  const imported = async (rows: readonly ImportRow[]) => {
    const { core, scope, list, run } = await start()
    const take = async () => {
      const results: ImportRowResult[] = []
      const options = { subscriberListId: list._id, suppressed: 'keep' } as const
      for await (const result of core.contacts.import(scope, rows, options)) results.push(result)
      return outcomes(results)
    }
    const subscriptions = async (email: string) =>
      (await core.subscriptions.list(scope, email, { skip: 0, limit: 10 })).items.map(
        ({ status, joinedAt, changedAt, consent }) => ({
          ...{ status, joinedAt, changedAt },
          ...(consent !== undefined && { consent }),
        }),
      )
    return { core, scope, list, run, take, subscriptions }
  }

  it('keeps state, dates and consent of a new membership, and nothing of one that exists', async () => {
    const left = { status: 'unsubscribed', joinedAt, changedAt, consent: 'At the fair' }
    const { core, scope, list, take, subscriptions } = await imported([row('ada@example.com', left)])
    expect(await take()).toEqual(['created'])
    expect(await subscriptions('ada@example.com')).toEqual([left])
    await core.subscribers.update(scope, list._id, 'ada@example.com', { status: 'active' })
    expect(await take()).toEqual(['unchanged'])
    const [back] = await subscriptions('ada@example.com')
    expect([back?.status, back?.consent]).toEqual(['active', undefined])
  })

  it('takes what is missing from the time of the import', async () => {
    const { take, subscriptions } = await imported([row('ada@example.com', { status: 'unverified' })])
    await take()
    const [one] = await subscriptions('ada@example.com')
    expect(one).toEqual({ status: 'unverified', joinedAt: one?.joinedAt, changedAt: one?.joinedAt })
  })

  it('keeps suppressed contacts only if asked to', async () => {
    const { core, scope, list, run, take } = await imported([row('ada@example.com', { status: 'active' })])
    await core.suppressions.create(scope, { email: 'ada@example.com', reason: 'bounce' })
    const refused = outcomes(await run([{ email: 'ada@example.com' }], { subscriberListId: list._id }))
    expect(refused).toEqual([expect.stringContaining('flagged due to bouncing')])
    expect(await take()).toEqual(['created'])
  })

  it('rejects rows whose membership is invalid', async () => {
    const { take } = await imported([
      row('a@example.com', { status: 'paused' }),
      row('b@example.com', { status: 'active', joinedAt: 'yesterday' }),
      row('c@example.com', { status: 'active', consent: 'half \ud800' }),
    ])
    expect((await take()).map((one) => /^(?:created|updated|unchanged)$/.test(one))).toEqual([false, false, false])
  })
})
