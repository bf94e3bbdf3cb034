import { describe, expect, it } from 'vitest'
import { anAccount, password, tokenIn, visitor } from './an-account.js'

const day = 24 * 3_600_000

describe('the audit log', () => {
  it('never contains a secret', async () => {
    const { people, olga, joined, withFactor, scopeOf, entries, ports } = await anAccount()
    const scope = await scopeOf(olga)
    const invited = await people.invite(scope, { email: 'eve@example.com', role: 'analyst' })
    const bob = await joined('bob', 'writer')
    const { secret, recoveryCodes } = await withFactor(bob)
    const link = await people.commands.link('bob@example.com')
    const reset = await people.commands.reset('bob@example.com')
    const newPassword = 'a password that nobody may see'
    const fresh = await people.resetPassword({ token: tokenIn(reset.url), password: newPassword }, visitor())
    await people.audit.record(
      { by: 'person', byId: olga.person._id },
      {
        action: 'setWebhook',
        projectId: scope.projectId,
        before: { url: 'https://hooks.example/a-secret-path', secretKey: 'whsec_abc', nested: { apiKey: 'key-1' } },
        after: { url: 'https://hooks.example/another-path', secretKey: 'whsec_def', token: 'token-1', password },
      },
    )
    const text = JSON.stringify(await entries())
    const hashes = []
    for await (const person of ports.repositories.persons.each({})) hashes.push(person.passwordHash ?? '')
    for (const secretText of [
      password,
      newPassword,
      secret,
      ...recoveryCodes,
      ...hashes,
      ...[invited.link, link.url, reset.url].map(tokenIn),
      olga.token,
      fresh.token,
      'a-secret-path',
      'another-path',
      'whsec_abc',
      'whsec_def',
      'key-1',
      'token-1',
    ])
      expect([secretText, secretText !== '' && !text.includes(secretText)]).toEqual([secretText, true])
    expect(text).toContain('https://hooks.example')
  })

  it('names who did it, on what, and only the fields that differ', async () => {
    const { people, olga, joined, scopeOf } = await anAccount()
    const bob = await joined('bob', 'writer')
    const scope = await scopeOf(olga)
    await people.changeMember(scope, bob.person._id, { role: 'sender' })
    const { items } = await people.audit.list(await scopeOf(olga, 'audit.read'), { limit: 1 })
    expect(items).toMatchObject([
      {
        by: 'person',
        byId: olga.person._id,
        byName: 'Olga',
        action: 'changeMember',
        record: bob.person._id,
        before: { role: 'writer' },
        after: { role: 'sender' },
      },
    ])
  })

  it('shortens long texts, and cuts what is deep or long', async () => {
    const { people, entries } = await anAccount()
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ inner }), {})
    const after = { text: 'x'.repeat(10_000), many: Array.from({ length: 1_000 }, (_, n) => n), deep }
    await people.audit.record({ by: 'operator' }, { action: 'test', after })
    const last = (await entries()).at(-1)
    expect(JSON.stringify(last).length).toBeLessThan(1_000)
  })

  it('cuts an object of many keys, and names every field that changed before it shows their values', async () => {
    const { people, entries } = await anAccount()
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, {}]))
    const rows = Array.from({ length: 20 }, () =>
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => [key, 'ä'.repeat(200)])),
    )
    const after = { document: keys(100_000), rows, ['x'.repeat(5_000)]: 1, status: 'active' }
    await people.audit.record(
      { by: 'operator' },
      { action: 'test', before: { ...after, rows: [] }, after: { ...after, document: {} } },
    )
    await people.audit.record({ by: 'operator' }, { action: 'test', after })
    const last = (await entries()).at(-1)
    expect(Object.keys(last?.after as object)).toEqual(['document', 'rows', `${'x'.repeat(300)}…`, 'status'])
    expect(last?.after).toMatchObject({ document: { k0: {}, '…': '…' } })
    for (const { before, after } of await entries())
      for (const side of [before, after])
        expect(Buffer.byteLength(JSON.stringify(side) ?? '')).toBeLessThanOrEqual(4_000)
  })

  it('is listed even if an entry holds more values than input may', async () => {
    const { people, projectId, ports } = await anAccount()
    const stamps = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
    const after = Array.from({ length: 60_000 }, () => ({}))
    await ports.repositories.auditEntries.add({
      _id: 'wide',
      ...stamps,
      projectId,
      by: 'operator',
      action: 'wide',
      after,
    })
    const { items } = await people.audit.list({ projectId, caller: 'operator' }, { limit: 9 })
    expect(items.map(({ action }) => action)).toContain('wide')
  })

  it('is paged newest first, and new entries do not shift the next page', async () => {
    const { people, projectId } = await anAccount()
    const scope = { projectId, caller: 'operator' } as const
    const add = (n: number) => people.audit.record({ by: 'operator' }, { action: `n${n}`, projectId })
    for (const n of [1, 2, 3, 4, 5]) await add(n)
    const first = await people.audit.list(scope, { limit: 2 })
    expect(first.items.map(({ action }) => action)).toEqual(['n5', 'n4'])
    await add(6)
    const second = await people.audit.list(scope, { limit: 2, cursor: first.cursor ?? '' })
    expect(second.items.map(({ action }) => action)).toEqual(['n3', 'n2'])
    const third = await people.audit.list(scope, { limit: 2, cursor: second.cursor ?? '' })
    expect(third).toMatchObject({ items: [{ action: 'n1' }], cursor: null })
  })

  it('is filtered by author, action, record and time, page by page', async () => {
    const { people, projectId, clock } = await anAccount()
    const scope = { projectId, caller: 'operator' } as const
    const begun = clock.now().getTime()
    const at = (minutes: number) => new Date(begun + minutes * 60_000).toISOString()
    for (const n of [0, 1, 2, 3, 4, 5]) {
      const author = n % 2 === 0 ? ({ by: 'person', byId: 'ada' } as const) : ({ by: 'command line' } as const)
      await people.audit.record(author, { action: n < 4 ? 'updateCampaign' : 'revoke', record: `r${n}`, projectId })
      clock.advance(60_000)
    }
    const found = async (query: Omit<Parameters<typeof people.audit.list>[1], 'limit'>) => {
      const records: (string | undefined)[] = []
      for (let cursor: string | undefined; ; ) {
        const page = await people.audit.list(scope, { limit: 1, ...query, ...(cursor !== undefined && { cursor }) })
        records.push(...page.items.map(({ record }) => record))
        if (page.cursor === null) return records
        cursor = page.cursor
      }
    }
    expect(await found({ by: 'person' })).toEqual(['r4', 'r2', 'r0'])
    expect(await found({ byId: 'ada', action: 'updateCampaign' })).toEqual(['r2', 'r0'])
    expect(await found({ record: 'r5' })).toEqual(['r5'])
    expect(await found({ record: 'none' })).toEqual([])
    expect(await found({ until: at(3) })).toEqual(['r2', 'r1', 'r0'])
    expect(await found({ from: at(1), until: at(5) })).toEqual(['r4', 'r3', 'r2', 'r1'])
    expect(await found({ from: at(2), by: 'person' })).toEqual(['r4', 'r2'])
    expect(await found({ from: at(9) })).toEqual([])
    expect(await found({ until: at(-1) })).toEqual([])
    const others = { projectId: 'another', caller: 'operator' } as const
    expect((await people.audit.list(others, { limit: 9, by: 'person' })).items).toEqual([])
  })

  it('logs an entry that cannot be stored, and the change succeeds', async () => {
    const { people, olga, ports, lines } = await anAccount()
    const { auditEntries } = ports.repositories
    Object.assign(auditEntries, { add: () => Promise.reject(new Error('full')) })
    await people.changePassword(olga, { password, newPassword: 'another long password' }, visitor())
    expect(lines.map(({ message }) => message)).toContain('An entry of the audit log could not be stored')
    expect(JSON.stringify(lines)).not.toContain('another long password')
  })
})

describe('pruning', () => {
  it('removes expired sessions and links, and entries after 400 days, and nothing younger', async () => {
    const { people, olga, scopeOf, clock, ports, entries } = await anAccount()
    await people.invite(await scopeOf(olga), { email: 'eve@example.com', role: 'analyst' })
    const all = async () => {
      const { sessions, personLinks } = ports.repositories
      const counted = await Promise.all(
        [sessions, personLinks].map((one) =>
          one.list({ where: {}, sort: { by: 'createdAt', order: 'asc' }, skip: 0, limit: 1 } as never),
        ),
      )
      return [...counted.map(({ count }) => count), (await entries()).length > 0]
    }
    clock.advance(7 * day - 1)
    await people.prune()
    expect(await all()).toEqual([1, 1, true])
    clock.advance(2)
    await people.prune()
    expect(await all()).toEqual([0, 0, true])
    clock.advance(393 * day)
    await people.prune()
    expect(await all()).toEqual([0, 0, false])
    await expect(people.signIn({ email: 'olga@example.com', password }, visitor())).resolves.toHaveProperty('token')
  })

  it('reads one record if none has expired', async () => {
    const { people, ports } = await anAccount()
    const { auditEntries } = ports.repositories
    Object.assign(auditEntries, { each: () => expect.unreachable('read all entries') })
    await people.prune()
    expect((await auditEntries.get({}))?.action).toBeDefined()
  })
})
