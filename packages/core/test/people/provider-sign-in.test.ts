import { createCore } from '@posthorn/core'
import type { ProviderSignInFailureReason } from '@posthorn/core/ports/runtime'
import { fakeIdentityProvider, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import type { ProviderRoleMapping } from '../../src/people/roles.js'
import { anAccount, password, tokenIn, visitor } from './an-account.js'

const standardRoles: readonly ProviderRoleMapping[] = [
  { value: 'owners', role: 'owner' },
  { value: 'writers', role: 'writer' },
  { value: 'readers', role: 'analyst' },
  { value: 'admins', role: 'operator' },
]

const nobody = () => Promise.reject(new Error('There is no session'))

type Given = {
  readonly groups?: unknown
  readonly email?: unknown
  readonly email_verified?: unknown
  readonly name?: unknown
}

const start = async ({ roles = standardRoles }: { readonly roles?: readonly ProviderRoleMapping[] } = {}) => {
  const provider = fakeIdentityProvider()
  const settings = { identityProvider: { name: 'Example', claim: 'groups', passwords: true, roles } }
  const world = await anAccount(settings, { identityProvider: provider })
  const { people } = world

  const claimsOf = (subject: string, given: Given) => ({
    subject,
    claims: { email: `${subject}@example.com`, email_verified: true, name: subject, groups: 'writers', ...given },
  })
  /** Somebody goes to the provider, signs in there as the subject, and comes back. */
  const enter = async (subject: string, given: Given = {}) => {
    const { url, flow } = await people.visitProvider(visitor())
    return people.signInByProvider({ answer: provider.answer(url, claimsOf(subject, given)) }, flow, visitor(), nobody)
  }
  const connect = async (opened: typeof world.olga, subject: string, given: Given = {}) => {
    const { url, flow } = await people.visitProvider(visitor(), opened)
    const answer = provider.answer(url, claimsOf(subject, given))
    return people.signInByProvider({ answer }, flow, visitor(), async () => opened)
  }
  const refusedAs = async (entering: Promise<unknown>): Promise<string | undefined> =>
    entering.then(
      () => 'nothing',
      ({ code, message }) => code ?? message,
    )
  const rolesOf = async (personId: string) =>
    ((await world.ports.repositories.teams.get({ _id: world.accountId }))?.members ?? [])
      .filter((one) => one.personId === personId)
      .map(({ role, projectId, byProvider }) => ({ role, projectId, byProvider }))
  const openSessions = async (...all: readonly { readonly token: string }[]) =>
    Promise.all(all.map(async ({ token }) => (await people.open(token)) !== undefined))
  return { ...world, provider, enter, connect, claimsOf, refusedAs, rolesOf, openSessions }
}

describe('a sign-in by the identity provider', () => {
  it('is refused without the browser’s own cookie, with a forged or a foreign one, and with another state', async () => {
    const { people, provider, claimsOf, refusedAs, ports } = await start()
    const mine = await people.visitProvider(visitor())
    const theirs = await people.visitProvider(visitor())
    const answer = provider.answer(mine.url, claimsOf('ada', {}))
    const forged = ports.secrets.seal(JSON.stringify({ state: new URL(mine.url).searchParams.get('state') }))
    for (const flow of [undefined, '', 'forged', forged, theirs.flow])
      expect(await refusedAs(people.signInByProvider({ answer }, flow, visitor(), nobody))).toBe('sign-in-expired')
    for (const changed of ['', '?code=1', answer.replace(/state=[^&]+/, 'state=x'), `${answer.replace('state', 'x')}`])
      expect(await refusedAs(people.signInByProvider({ answer: changed }, mine.flow, visitor(), nobody))).toBe(
        'sign-in-expired',
      )
    await expect(people.signInByProvider({ answer }, mine.flow, visitor(), nobody)).resolves.toHaveProperty('token')
  })

  it('works once: neither its answer nor its state comes again', async () => {
    const { people, provider, claimsOf, refusedAs } = await start()
    const { url, flow } = await people.visitProvider(visitor())
    const answer = provider.answer(url, claimsOf('ada', {}))
    const again = provider.answer(url, claimsOf('ada', {}))
    await people.signInByProvider({ answer }, flow, visitor(), nobody)
    for (const replayed of [answer, again])
      expect(await refusedAs(people.signInByProvider({ answer: replayed }, flow, visitor(), nobody))).toBe(
        'sign-in-expired',
      )
  })

  it('of two at the same moment with one state succeeds once', async () => {
    const { people, provider, claimsOf, refusedAs } = await start()
    const { url, flow } = await people.visitProvider(visitor())
    const answers = [provider.answer(url, claimsOf('ada', {})), provider.answer(url, claimsOf('ada', {}))]
    const outcomes = await Promise.all(
      answers.map((answer) => refusedAs(people.signInByProvider({ answer }, flow, visitor(), nobody))),
    )
    expect(outcomes.map(String).toSorted((a, b) => a.localeCompare(b))).toEqual(['nothing', 'sign-in-expired'])
  })

  it('expires after ten minutes', async () => {
    const { people, provider, claimsOf, refusedAs, clock } = await start()
    const { url, flow } = await people.visitProvider(visitor())
    const answer = provider.answer(url, claimsOf('ada', {}))
    clock.advance(600_000)
    expect(await refusedAs(people.signInByProvider({ answer }, flow, visitor(), nobody))).toBe('sign-in-expired')
  })

  it.each([
    ['unreachable', 'provider-unreachable'],
    ['misconfigured', 'provider-misconfigured'],
    ['denied', 'provider-denied'],
    ['invalid', 'provider-invalid'],
  ] as const)('says what to do if the provider is %s, and logs the reason without a secret', async (reason, code) => {
    const { people, provider, claimsOf, refusedAs, lines } = await start()
    const { url, flow } = await people.visitProvider(visitor())
    const answer = provider.answer(url, claimsOf('ada', {}))
    provider.fail(reason satisfies ProviderSignInFailureReason)
    expect(await refusedAs(people.signInByProvider({ answer }, flow, visitor(), nobody))).toBe(code)
    expect(JSON.stringify(lines)).toContain(reason)
    expect(JSON.stringify(lines)).not.toContain(new URLSearchParams(answer).get('code'))
  })

  it('needs a role, and says whom to ask', async () => {
    const { enter, ports, lines, refusedAs } = await start()
    for (const groups of [undefined, '', [], ['others'], 'writers readers', { writers: true }])
      expect(await refusedAs(enter('ada', { groups }))).toBe('no-role')
    await expect(enter('ada', { groups: ['others'] })).rejects.toThrow('Ask the operator')
    expect(await ports.repositories.persons.get({ email: 'ada@example.com' })).toBeUndefined()
    expect(JSON.stringify(lines)).toContain('others')
  })

  it('adds the person with the role, for the whole account, and writes it down', async () => {
    const { enter, rolesOf, entries, people, projectId } = await start()
    const ada = await enter('ada', { groups: ['readers', 'writers'], name: 'Ada' })
    expect(ada.person).toMatchObject({ email: 'ada@example.com', name: 'Ada', external: true, operator: false })
    expect(await rolesOf(ada.person._id)).toEqual([{ role: 'writer', projectId: undefined, byProvider: true }])
    await expect(people.scopeIn(ada, projectId, 'content.edit')).resolves.toBeDefined()
    expect((await entries()).map(({ action }) => action).slice(-3)).toEqual([
      'joinByProvider',
      'providerRoles',
      'signIn',
    ])
  })

  it('finds the person by issuer and subject, whatever the address is by then', async () => {
    const { enter } = await start()
    const first = await enter('ada')
    const renamed = await enter('ada', { email: 'ada.b@example.com' })
    expect(renamed.person).toMatchObject({ _id: first.person._id, email: 'ada.b@example.com' })
    const unverified = await enter('ada', { email: 'olga@example.com', email_verified: false })
    expect(unverified.person).toMatchObject({ _id: first.person._id, email: 'ada.b@example.com' })
    const taken = await enter('ada', { email: 'olga@example.com' })
    expect(taken.person).toMatchObject({ _id: first.person._id, email: 'ada.b@example.com' })
    const other = await enter('bob', { email: 'ada@example.com' })
    expect(other.person._id).not.toBe(first.person._id)
  })

  it.each([
    ['a verified address', true],
    ['a verified address, as a text', 'true'],
  ])('never opens an existing person by %s', async (_, email_verified) => {
    const { enter, olga, refusedAs, openSessions, people } = await start()
    const given = { email: 'OLGA@example.com', email_verified, groups: 'owners' }
    expect(await refusedAs(enter('eve', given))).toBe('address-taken')
    expect(await openSessions(olga)).toEqual([true])
    await expect(people.signIn({ email: 'olga@example.com', password }, visitor())).resolves.toHaveProperty('token')
  })

  it.each([[false], [undefined], ['false'], [1], [null]])(
    'gives nobody an address that is not verified (%j)',
    async (email_verified) => {
      const { enter, olga, people, scopeOf, ports } = await start()
      const eve = await enter('eve', { email: 'olga@example.com', email_verified })
      expect(eve.person._id).not.toBe(olga.person._id)
      const invitation = await people.invite(await scopeOf(olga), { email: 'will@example.com', role: 'manager' })
      const squatter = await enter('mallory', { email: 'will@example.com', email_verified })
      const will = await people.accept({ token: tokenIn(invitation.link), name: 'Will', password }, visitor())
      expect(will.person._id).not.toBe(squatter.person._id)
      expect(await ports.repositories.persons.get({ emailKey: 'olga@example.com' })).toMatchObject({ name: 'Olga' })
    },
  )

  it('needs an address', async () => {
    const { enter, refusedAs } = await start()
    for (const email of [undefined, 7, 'not an address', ''])
      expect(await refusedAs(enter('ada', { email }))).toBe('no-address')
  })

  it('takes a name that fits into a header, or the address', async () => {
    const { enter } = await start()
    expect((await enter('ada', { name: 'Ada\r\nBcc: x' })).person.name).toBe('ada@example.com')
    expect((await enter('bob', { name: 7 })).person.name).toBe('bob@example.com')
  })

  it('reads the roles each time: a role taken away at the provider is taken away here', async () => {
    const { enter, rolesOf, refusedAs, openSessions, ports } = await start()
    const ada = await enter('ada', { groups: ['writers', 'admins'] })
    expect(ada.person.operator).toBe(true)
    const less = await enter('ada', { groups: ['readers'] })
    expect(less.person.operator).toBe(false)
    expect(await rolesOf(ada.person._id)).toMatchObject([{ role: 'analyst' }])
    expect(await refusedAs(enter('ada', { groups: [] }))).toBe('no-role')
    expect(await rolesOf(ada.person._id)).toEqual([])
    expect(await openSessions(ada, less)).toEqual([false, false])
    expect(await ports.repositories.persons.get({ _id: ada.person._id })).toMatchObject({ operator: false })
    await expect(enter('ada', { groups: 'writers' })).resolves.toMatchObject({ person: { _id: ada.person._id } })
  })

  it('leaves roles in single projects, which no provider gave', async () => {
    const { enter, rolesOf, projectId, accountId, ports, refusedAs } = await start()
    const ada = await enter('ada', { groups: 'readers' })
    const { teams } = ports.repositories
    const local = { personId: ada.person._id, role: 'sender', projectId, since: 'then' } as const
    await teams.change({ _id: accountId }, (team) => ({ ...team, members: [...team.members, local] }))
    await enter('ada', { groups: 'writers' })
    expect((await rolesOf(ada.person._id)).map(({ role }) => role).sort()).toEqual(['sender', 'writer'])
    expect(await refusedAs(enter('ada', { groups: [] }))).toBe('no-role')
    expect(await rolesOf(ada.person._id)).toMatchObject([{ role: 'sender' }])
  })

  it('never leaves an account without owner, and lets nobody in by a role that the provider took away', async () => {
    const { enter, people, olga, rolesOf, refusedAs, openSessions } = await start()
    const ada = await enter('ada', { groups: 'owners' })
    await people.commands.remove(olga.person.email)
    for (const groups of ['readers', 'none']) {
      const code = groups === 'none' ? 'no-role' : 'role-not-applied'
      expect(await refusedAs(enter('ada', { groups }))).toBe(code)
      expect(await rolesOf(ada.person._id)).toMatchObject([{ role: 'owner' }])
      expect(await openSessions(ada)).toEqual([false])
    }
    await expect(enter('ada', { groups: 'owners' })).resolves.toHaveProperty('token')
  })

  it('gives roles in accounts that exist, and none in others', async () => {
    const missing = { value: 'far', role: 'owner', accountId: 'f'.repeat(24) } as const
    const { enter, refusedAs, lines, ports } = await start({ roles: [missing] })
    expect(await refusedAs(enter('ada', { groups: 'far' }))).toBe('no-role')
    expect(JSON.stringify(lines)).toContain(missing.accountId)
    expect(await ports.repositories.teams.get({ _id: missing.accountId })).toBeUndefined()
  })

  it('goes on where an interrupted one stopped', async () => {
    const { enter, ports, refusedAs } = await start()
    const { persons } = ports.repositories
    const add = persons.add.bind(persons)
    Object.assign(persons, { add: () => Promise.reject(new Error('killed')) })
    expect(await refusedAs(enter('ada'))).toBe('killed')
    Object.assign(persons, { add })
    await expect(enter('ada')).resolves.toMatchObject({ person: { email: 'ada@example.com' } })
  })

  it('of somebody new in two windows adds one person', async () => {
    const { enter } = await start()
    const entered = await Promise.all([enter('ada'), enter('ada'), enter('ada')])
    expect(new Set(entered.map(({ person }) => person._id)).size).toBe(1)
  })

  it('is slowed down like guessed passwords, and visits to the provider are limited', async () => {
    const { people, refusedAs } = await start()
    const one = visitor()
    const attempt = () => refusedAs(people.signInByProvider({ answer: '?state=x' }, 'x', one, nobody))
    const outcomes = []
    for (let n = 0; n < 12; n += 1) outcomes.push(await attempt())
    expect(outcomes.filter((code) => code === 'sign-in-expired')).toHaveLength(10)
    const visits = await Promise.all(Array.from({ length: 40 }, () => refusedAs(people.visitProvider(one))))
    expect(visits.filter((code) => code === 'nothing')).toHaveLength(30)
  })

  it('does not exist without a provider', async () => {
    const { people } = await anAccount()
    expect([people.providerName, people.passwords]).toEqual([undefined, true])
    await expect(people.visitProvider(visitor())).rejects.toMatchObject({ kind: 'blocked' })
    await expect(people.signInByProvider({ answer: '' }, undefined, visitor(), nobody)).rejects.toMatchObject({
      kind: 'blocked',
    })
  })
})

describe('a person of the identity provider', () => {
  it('has no password here, and gets none', async () => {
    const { enter, people, olga, scopeOf, ports, refusedAs } = await start()
    const ada = await enter('ada')
    const email = 'ada@example.com'
    await expect(people.signIn({ email, password: '' }, visitor())).rejects.toMatchObject({ kind: 'unauthenticated' })
    await (await people.requestReset({ email }, visitor())).mailed
    expect(await ports.repositories.personLinks.get({ personId: ada.person._id })).toBeUndefined()
    const { link } = await people.invite(await scopeOf(olga), { email, role: 'manager' })
    expect(await refusedAs(people.accept({ token: tokenIn(link), name: 'Ada', password }, visitor()))).toContain(
      'Example signs you in here',
    )
  })

  it('has a role that nobody changes here, but that can be taken until the next sign-in', async () => {
    const { enter, people, olga, scopeOf } = await start()
    const ada = await enter('ada')
    const scope = await scopeOf(olga)
    await expect(people.changeMember(scope, ada.person._id, { role: 'manager' })).rejects.toThrow('Change it there.')
    expect((await people.list(scope)).people.find(({ _id }) => _id === ada.person._id)?.byProvider).toBe(true)
    await people.removeMember(scope, ada.person._id)
    await expect(people.scopeIn(ada, scope.projectId, 'project.read')).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('may not grant what the role lacks', async () => {
    const { enter, people, projectId } = await start()
    const ada = await enter('ada')
    await expect(people.scopeIn(ada, projectId, 'people.edit')).rejects.toMatchObject({ kind: 'forbidden' })
    const eve = await enter('eve', { groups: 'owners' })
    const scope = await people.scopeIn(eve, projectId, 'people.edit')
    await expect(
      people.invite(scope, { email: 'x@example.com', role: 'owner', within: 'account' }),
    ).resolves.toBeDefined()
  })

  it('becomes one with a password again by the command line, and keeps the roles', async () => {
    const { enter, people, olga, scopeOf, rolesOf, refusedAs } = await start()
    const ada = await enter('ada')
    const { url } = await people.commands.reset('ada@example.com')
    const fresh = await people.resetPassword({ token: tokenIn(url), password }, visitor())
    expect(fresh.person).toMatchObject({ _id: ada.person._id, external: false })
    expect(await rolesOf(ada.person._id)).toEqual([{ role: 'writer', projectId: undefined, byProvider: undefined }])
    await people.changeMember(await scopeOf(olga), ada.person._id, { role: 'sender' })
    expect(await refusedAs(enter('ada'))).toBe('address-taken')
  })

  it('is removed with the identity, by the id if the address is not verified', async () => {
    const { enter, people, ports } = await start()
    const ada = await enter('ada', { email_verified: false })
    await people.commands.remove(ada.person._id)
    expect(await ports.repositories.identities.get({})).toBeUndefined()
    expect((await enter('ada')).person._id).not.toBe(ada.person._id)
  })
})

describe('connecting an existing person with the provider', () => {
  it('needs a session of that person and the same address, verified', async () => {
    const { people, olga, connect, refusedAs, provider, claimsOf, joined } = await start()
    const mine = { email: 'olga@example.com', groups: 'owners' }
    expect(await refusedAs(connect(olga, 'eve', { groups: 'owners' }))).toBe('address-differs')
    expect(await refusedAs(connect(olga, 'eve', { ...mine, email_verified: false }))).toBe('address-differs')
    expect(await refusedAs(connect(olga, 'eve', { ...mine, groups: [] }))).toBe('no-role')
    const bob = await joined('bob', 'manager')
    const { url, flow } = await people.visitProvider(visitor(), olga)
    const answer = provider.answer(url, claimsOf('olga', mine))
    expect(await refusedAs(people.signInByProvider({ answer }, flow, visitor(), async () => bob))).toBe(
      'sign-in-expired',
    )
    await expect(people.signIn({ email: 'olga@example.com', password }, visitor())).resolves.toHaveProperty('token')
  })

  it('ends the password, the second factor, other sessions and links to a new password', async () => {
    const { people, olga, connect, enter, withFactor, openSessions, joined, ports, entries } = await start()
    await joined('bob', 'owner')
    await withFactor(olga)
    const reset = await people.commands.create({ email: 'x@example.com', name: 'X' })
    const { url } = await people.commands.link('olga@example.com')
    const given = { email: 'olga@example.com', groups: 'writers' }
    const connected = await connect(olga, 'o-1', given)
    expect(connected.person).toMatchObject({ _id: olga.person._id, external: true, totp: false, operator: false })
    expect(await openSessions(olga, connected)).toEqual([false, true])
    await expect(people.followLink({ token: tokenIn(url) }, visitor())).rejects.toThrow('unknown')
    await expect(people.signIn({ email: 'olga@example.com', password }, visitor())).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
    expect((await enter('o-1', given)).person._id).toBe(olga.person._id)
    expect(await ports.repositories.persons.get({ _id: olga.person._id })).not.toHaveProperty('passwordHash')
    expect(reset.person.external).toBe(false)
    expect((await entries()).map(({ action }) => action)).toContain('connectProvider')
  })

  it('changes nothing if the account would lose its last owner', async () => {
    const { people, olga, connect, refusedAs, openSessions } = await start()
    const given = { email: 'olga@example.com', groups: 'writers' }
    expect(await refusedAs(connect(olga, 'o-1', given))).toBe('role-not-applied')
    expect(await openSessions(olga)).toEqual([true])
    await expect(people.signIn({ email: 'olga@example.com', password }, visitor())).resolves.toHaveProperty('token')
  })

  it('is refused for an identity of somebody else, and for somebody who is connected', async () => {
    const { people, olga, enter, connect, refusedAs, joined } = await start()
    const ada = await enter('ada')
    expect(await refusedAs(connect(olga, 'ada', { email: 'olga@example.com', groups: 'owners' }))).toBe('address-taken')
    expect(await refusedAs(people.visitProvider(visitor(), ada))).toContain('signs you in already')
    await joined('bob', 'owner')
  })
})

describe('an installation without passwords', () => {
  const withoutPasswords = async () => {
    const provider = fakeIdentityProvider()
    const { ports } = inMemoryPorts({ identityProvider: provider })
    const identityProvider = { name: 'Example', claim: 'groups', passwords: false, roles: standardRoles }
    const core = createCore({ ...ports, settings: { ...ports.settings, identityProvider } })
    const { account } = await sampleProject(core)
    return { provider, ports, people: core.people, accountId: account._id }
  }

  it('closes everything that sets or takes a password, and its first owner comes from the provider', async () => {
    const { people, provider, ports, accountId } = await withoutPasswords()
    expect([people.passwords, people.providerName]).toEqual([false, 'Example'])
    expect(await people.setupLink()).toBeUndefined()
    const { url, flow } = await people.visitProvider(visitor())
    const email = 'ada@example.com'
    const claims = { email, email_verified: true, groups: ['owners', 'admins'] }
    const answer = provider.answer(url, { subject: 'ada', claims })
    const ada = await people.signInByProvider({ answer }, flow, visitor(), nobody)
    expect(ada.person).toMatchObject({ operator: true })
    expect((await ports.repositories.teams.get({ _id: accountId }))?.members).toMatchObject([{ role: 'owner' }])
    const closed = [
      () => people.signIn({ email, password }, visitor()),
      () => people.setUp({ token: 'x', email, name: 'X', password }, visitor()),
      () => people.accept({ token: 'x', name: 'X', password }, visitor()),
      () => people.requestReset({ email }, visitor()),
      () => people.resetPassword({ token: 'x', password }, visitor()),
      () => people.commands.invite('x@example.com', { accountId, role: 'writer' }),
    ]
    for (const one of closed) await expect(one()).rejects.toThrow('Example signs people in here')
  })

  it('lets the command line in by a link that signs in once', async () => {
    const { people } = await withoutPasswords()
    const { url } = await people.commands.create({ email: 'help@example.com', name: 'Help' })
    await expect(people.followLink({ token: tokenIn(url) }, visitor())).resolves.toHaveProperty('token')
    const reset = await people.commands.reset('help@example.com')
    await expect(people.followLink({ token: tokenIn(reset.url) }, visitor())).resolves.toHaveProperty('token')
  })
})
