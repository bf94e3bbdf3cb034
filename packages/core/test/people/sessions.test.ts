import { describe, expect, it } from 'vitest'
import { anAccount, password, tokenIn, visitor } from './an-account.js'

const hour = 3_600_000
const email = 'olga@example.com'

describe('a session', () => {
  it('ends after 12 hours without a request', async () => {
    const { people, olga, clock } = await anAccount()
    clock.advance(12 * hour - 1)
    expect(await people.open(olga.token)).toMatchObject({ sessionId: olga.sessionId })
    clock.advance(12 * hour - 1)
    expect(await people.open(olga.token)).toMatchObject({ sessionId: olga.sessionId })
    clock.advance(12 * hour)
    expect(await people.open(olga.token)).toBeUndefined()
  })

  it('ends after 7 days, however busy', async () => {
    const { people, olga, clock } = await anAccount()
    for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
      clock.advance(6 * hour)
      expect(await people.open(olga.token)).toBeDefined()
    }
    clock.advance(6 * hour)
    expect(await people.open(olga.token)).toBeUndefined()
  })

  it('that has ended is not counted, and is removed from the store', async () => {
    const { people, olga, clock, ports } = await anAccount()
    clock.advance(13 * hour)
    await people.open(olga.token)
    expect(await ports.repositories.sessions.get({ _id: olga.sessionId })).toBeUndefined()
    expect(await people.sessionsOf(olga)).toEqual([])
  })

  it('is revoked by its person only', async () => {
    const { people, olga, joined } = await anAccount()
    const bob = await joined('bob', 'manager')
    await expect(people.revoke(bob, olga.sessionId)).rejects.toMatchObject({ kind: 'not-found' })
    await people.revoke(olga, olga.sessionId)
    expect(await people.open(olga.token)).toBeUndefined()
    expect(await people.open(bob.token)).toBeDefined()
  })

  it('ends with a new password, except the one that changed it', async () => {
    const { people, olga } = await anAccount()
    const other = await people.signIn({ email, password }, visitor())
    await people.changePassword(olga, { password, newPassword: 'another long password' }, visitor())
    expect(await people.open(olga.token)).toBeDefined()
    expect(await people.open(other.token)).toBeUndefined()
    await expect(people.signIn({ email, password }, visitor())).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  it('is not stored in a form that opens it', async () => {
    const { olga, ports } = await anAccount()
    const stored = await ports.repositories.sessions.get({ _id: olga.sessionId })
    expect(JSON.stringify(stored)).not.toContain(olga.token)
  })
})

describe('signing in', () => {
  it('compares a hash for unknown addresses, too', async () => {
    const { people, ports } = await anAccount()
    const { compared } = ports.credentials as unknown as { compared: unknown[] }
    const before = compared.length
    await expect(people.signIn({ email: 'nobody@example.com', password }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
    expect(compared.slice(before)).toEqual([undefined])
  })

  it('is slowed down for one person, wherever the attempts come from', async () => {
    const { people } = await anAccount()
    const kinds: string[] = []
    for (let n = 0; n < 25; n += 1)
      await people.signIn({ email, password: `wrong ${n}` }, visitor()).catch(({ kind }) => kinds.push(kind))
    expect(kinds.filter((kind) => kind === 'unauthenticated')).toHaveLength(20)
    expect(kinds.at(-1)).toBe('busy')
  })

  it('is slowed down for a stolen session that guesses the password, wherever the attempts come from', async () => {
    const { people, olga } = await anAccount()
    const kinds: string[] = []
    for (let n = 0; n < 25; n += 1)
      await people.prove(olga, { password: `wrong ${n}` }, visitor()).catch(({ kind }) => kinds.push(kind))
    expect(kinds.filter((kind) => kind === 'unauthenticated')).toHaveLength(20)
    expect(kinds.at(-1)).toBe('busy')
  })

  it('replaces a hash with outdated parameters', async () => {
    const { people, ports, olga } = await anAccount()
    const { persons } = ports.repositories
    await persons.change({ _id: olga.person._id }, (one) => ({ ...one, passwordHash: `plain$1$${password}` }))
    await people.signIn({ email, password }, visitor())
    expect((await persons.get({ _id: olga.person._id }))?.passwordHash).toBe(`plain$2$${password}`)
  })
})

describe('a link', () => {
  it('to sign in works for one of two requests, and for 15 minutes', async () => {
    const { people, clock } = await anAccount()
    const { url } = await people.commands.link(email)
    const both = await Promise.allSettled([1, 2].map(() => people.followLink({ token: tokenIn(url) }, visitor())))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const late = tokenIn((await people.commands.link(email)).url)
    clock.advance(15 * 60_000)
    await expect(people.followLink({ token: late }, visitor())).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  it('of one purpose does not work for another', async () => {
    const { people } = await anAccount()
    const token = tokenIn((await people.commands.link(email)).url)
    const reset = people.resetPassword({ token, password: 'another long password' }, visitor())
    await expect(reset).rejects.toMatchObject({ kind: 'unauthenticated' })
    const joined = people.accept({ token, name: 'X', password }, visitor())
    await expect(joined).rejects.toMatchObject({ kind: 'unauthenticated' })
    await expect(people.followLink({ token }, visitor())).resolves.toMatchObject({ person: { email } })
  })

  it('to a new password ends all sessions and every other link of the person', async () => {
    const { people, olga } = await anAccount()
    const other = tokenIn((await people.commands.link(email)).url)
    const { url } = await people.commands.reset(email)
    expect(await people.open(olga.token)).toBeUndefined()
    await expect(people.signIn({ email, password }, visitor())).rejects.toMatchObject({ kind: 'unauthenticated' })
    const fresh = await people.resetPassword({ token: tokenIn(url), password: 'another long password' }, visitor())
    expect(await people.open(fresh.token)).toBeDefined()
    await expect(people.followLink({ token: other }, visitor())).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  it('is not stored in a form that works', async () => {
    const { people, ports } = await anAccount()
    const { url } = await people.commands.link(email)
    for await (const link of ports.repositories.personLinks.each({}))
      expect(JSON.stringify(link)).not.toContain(tokenIn(url))
  })

  it('of the first start is replaced by each start, and gone once somebody exists', async () => {
    const { people } = await anAccount()
    expect(await people.setupLink()).toBeUndefined()
  })
})
