import type { z } from 'zod'
import type { Account } from '../accounts/account.js'
import { addressKey } from '../kernel/email-address.js'
import { bytesOfBase32, bytesOfBase64url, toBase32 } from '../kernel/encoding.js'
import { collected } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, Counters, Log, NewId, Secrets } from '../kernel/ports.js'
import { updated } from '../kernel/project-resource.js'
import { blocked, duplicate, notFound, unauthenticated } from '../kernel/refusal.js'
import { found, foundIn, ifKeyTaken, type RepositoriesFor, type Repository } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { type Stamped, stamps } from '../kernel/shapes.js'
import { standardLanguage } from '../languages/languages.js'
import type { AccountOf, Project } from '../projects/project.js'
import { type AuditEntry, type Author, auditDays, auditLog, authorOf } from './audit.js'
import { keyUri, stepOfCode } from './one-time-codes.js'
import {
  AcceptInvitation,
  type AgainProven,
  type Identity,
  InvitationView,
  linkAge,
  MemberChanges,
  MemberView,
  MyChanges,
  NewInvitation,
  NewPerson,
  PasswordChange,
  People,
  type Person,
  type PersonLink,
  type PersonView,
  personView,
  RedeemLink,
  RedeemSetup,
  ResetPassword,
  ResetRequest,
  type Session,
  sessionAge,
  type Team,
  TotpAnswer,
  TotpChange,
  WithPassword,
} from './person.js'
import type { Credentials, IdentityProvider } from './ports.js'
import type { ProviderSettings } from './provider-roles.js'
import { providerSignIn } from './provider-sign-in.js'
import { type Role, roles } from './roles.js'
import type { SavedView } from './saved-views.js'
import { type Client, type OpenedSession, signingIn } from './sessions.js'
import { type Membership, type Principal, teamUseCases } from './teams.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    projects: Project
    persons: Person
    teams: Team
    sessions: Session
    personLinks: PersonLink
    identities: Identity
    auditEntries: AuditEntry
    savedViews: SavedView
  }>
  readonly credentials: Credentials
  readonly secrets: Secrets
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly accountOf: AccountOf
  readonly counters: Pick<Counters, 'takeUpTo'>
  readonly identityProvider?: IdentityProvider | undefined
  readonly settings: {
    readonly publicUrl: string
    readonly mailsLinks?: boolean | undefined
    readonly identityProvider?: ProviderSettings | undefined
  }
  /** Whether the mail is durably queued. */
  readonly mailLink: (mail: LinkMail) => Promise<boolean>
}

/** A link to mail, in the words of the mail's language. */
export type LinkMail = {
  readonly to: string
  readonly url: string
  readonly purpose: 'invitation' | 'reset'
  /** Whose sender mails it. */
  readonly projectId: string
  readonly language: Person['language']
}

const auditAge = auditDays * 24 * 60 * 60_000
const recoveryCodeCount = 10
/** Projects that are tried for a mail. */
const mostTried = 5
const commandLine: Author = { by: 'command line' }
const goneLink = () => unauthenticated('This link is unknown, was used already or has expired.')

/** Records of a kind that only age ends, oldest first. */
const pruneBefore = async <T extends Stamped>(repository: Repository<T>, before: string): Promise<void> => {
  for (;;) {
    const old: string[] = []
    for await (const { _id, createdAt } of repository.each({})) {
      if (createdAt > before || old.length === 500) break
      old.push(_id)
    }
    if (old.length === 0) return
    for (const _id of old) await repository.remove({ _id } as Parameters<typeof repository.remove>[0])
  }
}

/** Persons, their sessions and roles, and the audit log. Every failed sign-in gets the same response. */
export const peopleUseCases = (deps: Deps) => {
  const { repositories, credentials, secrets, clock, newId, accountOf, settings } = deps
  const { accounts, projects, persons, personLinks, identities, sessions, auditEntries } = repositories
  const audit = auditLog(deps)
  const teams = teamUseCases(deps)
  const signIn = signingIn({ ...deps, audit })
  const providerSignIns = providerSignIn({ ...deps, audit, teams, signIn })
  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  /** @throws Refusal `blocked` if only the identity provider signs people in */
  const assertPasswords = (): void => {
    if (!providerSignIns.passwords)
      throw blocked(
        `${providerSignIns.providerName} signs people in here, and decides their roles. Passwords are not used.`,
      )
  }

  /** @throws Refusal `duplicate` */
  const addPerson = async (
    given: Pick<Person, 'email' | 'name'> & Partial<Pick<Person, 'operator' | 'passwordHash'>>,
  ): Promise<Person> => {
    const person: Person = {
      _id: newId(),
      emailKey: addressKey(given.email),
      language: standardLanguage,
      theme: 'system',
      operator: false,
      ...given,
      ...stamps(iso()),
    }
    await persons.add(person).catch(
      ifKeyTaken(() => {
        throw duplicate('There is a person with this e-mail address already.')
      }),
    )
    return person
  }

  const urlOf = (purpose: PersonLink['purpose'], token: string) =>
    `${settings.publicUrl}/console/${pages[purpose]}#${token}`

  const addLink = async (
    purpose: PersonLink['purpose'],
    about: Partial<Pick<PersonLink, 'personId' | 'email' | 'accountId' | 'projectId' | 'role' | 'invitedBy'>> = {},
  ): Promise<{ readonly link: PersonLink; readonly url: string }> => {
    const token = secrets.random(32)
    const link: PersonLink = {
      _id: newId(),
      digest: secrets.digest(token),
      purpose,
      expiresAt: iso(linkAge[purpose]),
      ...about,
      ...stamps(iso()),
    }
    await personLinks.add(link)
    return { link, url: urlOf(purpose, token) }
  }

  /** The link stays usable. @throws Refusal `unauthenticated` */
  const linkOf = async (token: string, purpose: PersonLink['purpose'], client: Client): Promise<PersonLink> => {
    signIn.attempt(client.addressBlock)
    const link = await personLinks.get({ digest: secrets.digest(token), purpose })
    if (!link || link.expiresAt <= iso()) throw goneLink()
    return link
  }

  /** Of several concurrent requests with one link, one succeeds. @throws Refusal `unauthenticated` */
  const useUp = async ({ _id }: PersonLink): Promise<void> => {
    if (!(await personLinks.remove({ _id }))) throw goneLink()
  }

  /** Also ends the person's other sessions. */
  const setPassword = async ({ _id }: Pick<Person, '_id'>, password: string, keep?: string): Promise<Person> => {
    const passwordHash = await credentials.hash(password)
    const person = found(persons, await persons.change({ _id }, (one) => ({ ...one, passwordHash, updatedAt: iso() })))
    await signIn.endAll(_id, keep)
    return person
  }

  /** @throws Refusal `unauthenticated`, `busy` */
  const proveAgain = async (
    { person }: Pick<OpenedSession, 'person'>,
    password: string,
    client: Client,
  ): Promise<Person> => {
    const { passwordHash } = await foundIn(persons, { _id: person._id })
    signIn.attempt(client.addressBlock)
    const { isRight } = await credentials.matches(password, passwordHash)
    if (!isRight) throw unauthenticated('The password is wrong.', 'wrong-password')
    signIn.succeed(client.addressBlock)
    return foundIn(persons, { _id: person._id })
  }

  const asPerson = ({ _id, name }: Pick<Person, '_id' | 'name'>): Author => ({ by: 'person', byId: _id, byName: name })
  const ownersOf = ({ projectId }: Scope) => accountOf(projectId)

  const totp = {
    start: async (person: Person) => {
      const bytes = bytesOfBase64url(secrets.random(20)) ?? new Uint8Array()
      const secret = toBase32(bytes).toUpperCase()
      const pending = { secret: secrets.seal(secret), lastStep: 0, isConfirmed: false }
      const changed = await persons.change({ _id: person._id }, (one) => {
        if (one.totp?.isConfirmed) throw blocked('A second factor is set up already. Remove it first.')
        return { ...one, totp: pending, updatedAt: iso() }
      })
      found(persons, changed)
      return TotpAnswer.parse({ secret, uri: keyUri(person.email, secret) })
    },

    confirm: async (person: Person, code: string) => {
      const codes = Array.from({ length: recoveryCodeCount }, () =>
        toBase32(bytesOfBase64url(secrets.random(10)) ?? new Uint8Array()),
      )
      const recoveryCodes = codes.map((one) => secrets.digest(`recovery ${person._id} ${one}`))
      await persons.change({ _id: person._id }, (one) => {
        if (!one.totp || one.totp.isConfirmed) throw blocked('Start setting up the second factor first.')
        const key = bytesOfBase32(secrets.open(one.totp.secret)) ?? new Uint8Array()
        const lastStep = stepOfCode(credentials, key, code.trim(), clock(), one.totp.lastStep)
        if (lastStep === undefined) throw unauthenticated('The code is wrong.', 'wrong-code')
        return { ...one, totp: { ...one.totp, lastStep, isConfirmed: true }, recoveryCodes, updatedAt: iso() }
      })
      await audit.record(asPerson(person), { action: 'addSecondFactor', record: person._id })
      return TotpAnswer.parse({ recoveryCodes: codes.map((one) => one.replace(/(.{4})(?=.)/g, '$1-')) })
    },
  }

  const invitationView = (link: PersonLink, url?: string): InvitationView =>
    InvitationView.parse({
      ...link,
      within: link.projectId === undefined ? 'account' : 'project',
      ...(url !== undefined && { link: url }),
    })

  const invite = async (
    membership: Membership,
    email: string,
    by: Author,
    mailFrom: string | undefined,
  ): Promise<InvitationView> => {
    const { accountId, projectId, role } = membership
    assertPasswords()
    if (role === 'owner' && projectId !== undefined) throw blocked('An owner owns the whole account, not one project.')
    await teams.assertMayGrant(accountId, by.byId, projectId, role)
    const { link, url } = await addLink('invitation', { email, ...membership, ...(by.byId && { invitedBy: by.byId }) })
    const { language = standardLanguage } = (by.byId && (await persons.get({ _id: by.byId }))) || {}
    const isMailed =
      mailFrom !== undefined &&
      (await deps.mailLink({ to: email, url, purpose: 'invitation', projectId: mailFrom, language }))
    await audit.record(by, {
      action: 'invitePerson',
      projectId: mailFrom,
      record: link._id,
      after: { email, ...membership },
    } as const)
    return invitationView(link, isMailed ? undefined : url)
  }

  /**
   * From the first project that can send. Only to members of a single account: people who receive the replies of a project, automatic ones
   * too, may read the link, and must not open another account with it.
   */
  const mailReset = async (emailKey: string): Promise<void> => {
    const person = await persons.get({ emailKey })
    const own = person ? await teams.projectsOf({ person: personView(person) }) : []
    if (!person || person.issuer !== undefined || new Set(own.map(({ accountId }) => accountId)).size !== 1) return
    const { link, url } = await addLink('reset', { personId: person._id })
    const { email: to, language } = person
    for (const { _id: projectId } of own.slice(0, mostTried))
      if (await deps.mailLink({ to, url, purpose: 'reset', projectId, language })) return
    await personLinks.remove({ _id: link._id })
  }

  /** Some people of an identity provider have no verified address: their id names them. */
  const personNamed = async (emailOrId: string): Promise<Person> =>
    (await persons.get({ emailKey: addressKey(emailOrId) })) ?? foundIn(persons, { _id: emailOrId })

  /** To a new password; where there are none, one that signs in once. */
  const entryLink = async (personId: string): Promise<string> =>
    (await addLink(providerSignIns.passwords ? 'reset' : 'sign-in', { personId })).url

  return {
    ...signIn,
    ...providerSignIns,
    /** @throws Refusal `unauthenticated`, `busy`, `blocked` without passwords */
    signIn: async (...given: Parameters<typeof signIn.signIn>): Promise<OpenedSession> => {
      assertPasswords()
      return signIn.signIn(...given)
    },
    audit: { ...audit, authorOf },
    scopeIn: teams.scopeIn,
    projectsOf: teams.projectsOf,
    /** Whether this installation mails links. */
    mailsLinks: settings.mailsLinks === true,

    /** For the first start: undefined once somebody exists, or without passwords. Replaces earlier links of this kind. */
    setupLink: async (): Promise<string | undefined> => {
      if (!providerSignIns.passwords || (await persons.get({}))) return undefined
      await personLinks.removeAll({ purpose: 'setup' })
      return (await addLink('setup')).url
    },

    /**
     * Creates an operator who owns every account without owner.
     * @throws Refusal `unauthenticated`, `invalid`, `duplicate`
     */
    setUp: async (input: z.input<typeof RedeemSetup>, client: Client): Promise<OpenedSession> => {
      assertPasswords()
      const { token, email, name, password } = parsed(RedeemSetup, input)
      const link = await linkOf(token, 'setup', client)
      const passwordHash = await credentials.hash(password)
      await useUp(link)
      const person = await addPerson({ email, name, passwordHash, operator: true })
      for (const accountId of await teams.unowned())
        await teams.grant({ accountId, role: 'owner' }, person._id, undefined)
      await audit.record(asPerson(person), { action: 'setUp', record: person._id, after: { email, operator: true } })
      return signIn.begin(person, client)
    },

    /**
     * Signs in. Somebody whose address has an account already proves it with their password.
     * @throws Refusal `unauthenticated`, `invalid`, `forbidden` if the inviter may no longer grant the role
     */
    accept: async (input: z.input<typeof AcceptInvitation>, client: Client): Promise<OpenedSession> => {
      assertPasswords()
      const { token, name, password, code } = parsed(AcceptInvitation, input)
      const link = await linkOf(token, 'invitation', client)
      const { email = '', accountId = '', projectId, role = 'analyst', invitedBy } = link
      await teams.assertMayGrant(accountId, invitedBy, projectId, role)
      const known = await persons.get({ emailKey: addressKey(email) })
      if (known?.issuer !== undefined)
        throw blocked(
          `${providerSignIns.providerName ?? 'An identity provider'} signs you in here. Ask the operator of this server to give you the role there.`,
        )
      const given = known ? undefined : parsed(NewPerson, { email, name: name ?? email, password })
      const passwordHash = given && (await credentials.hash(given.password))
      const proven = known && (await signIn.proven(email, password, code, client))
      await useUp(link)
      const person =
        proven ?? (await addPerson({ email, name: given?.name ?? email, ...(passwordHash && { passwordHash }) }))
      await teams.grant({ accountId, role, ...(projectId !== undefined && { projectId }) }, person._id, invitedBy)
      const after = { email, role, ...(projectId === undefined && { accountId }) }
      await audit.record(asPerson(person), {
        action: 'acceptInvitation',
        record: person._id,
        after,
        ...(projectId !== undefined && { projectId }),
      })
      return signIn.begin(person, client)
    },

    /** Signs in with a link of the command line. @throws Refusal `unauthenticated` */
    followLink: async (input: z.input<typeof RedeemLink>, client: Client): Promise<OpenedSession> => {
      const link = await linkOf(parsed(RedeemLink, input).token, 'sign-in', client)
      await useUp(link)
      return signIn.begin(await foundIn(persons, { _id: link.personId ?? '' }), client)
    },

    /**
     * Returns before the person is looked up, so that nobody learns which addresses are known. `mailed` resolves when the mail is
     * queued, or nothing can be mailed. @throws Refusal `invalid`, `busy`
     */
    requestReset: async (
      input: z.input<typeof ResetRequest>,
      client: Client,
    ): Promise<{ readonly mailed: Promise<void> }> => {
      assertPasswords()
      const emailKey = addressKey(parsed(ResetRequest, input).email)
      signIn.chargeMail(client, emailKey)
      const mailed = mailReset(emailKey).catch((error: unknown) =>
        deps.log('error', 'A link to a new password could not be mailed', { error }),
      )
      return { mailed }
    },

    /**
     * Ends all sessions of the person and signs in. A second factor is still needed: who reads the mailbox may not have it.
     * @throws Refusal `unauthenticated`, `invalid`, `busy`
     */
    resetPassword: async (input: z.input<typeof ResetPassword>, client: Client): Promise<OpenedSession> => {
      assertPasswords()
      const { token, password, code } = parsed(ResetPassword, input)
      const link = await linkOf(token, 'reset', client)
      const known = await foundIn(persons, { _id: link.personId ?? '' })
      if (known.issuer !== undefined) throw goneLink()
      await signIn.proveFactor(known, code)
      await useUp(link)
      const person = await setPassword({ _id: link.personId ?? '' }, password)
      await personLinks.removeAll({ personId: person._id })
      await audit.record(asPerson(person), { action: 'resetPassword', record: person._id })
      return signIn.begin(person, client)
    },

    /** @throws Refusal `invalid`, `not-found` */
    changeMe: async ({ person: { _id } }: OpenedSession, input: z.input<typeof MyChanges>): Promise<PersonView> => {
      const { name, language, theme } = parsed(MyChanges, input)
      const changes = { name, language: language as Person['language'] | undefined, theme }
      const before = personView(await foundIn(persons, { _id }))
      const after = personView(found(persons, await persons.change({ _id }, (one) => updated(one, changes, iso()))))
      await audit.record(asPerson(after), { action: 'changeMe', record: _id, before, after })
      return after
    },

    /** Ends the person's other sessions. @throws Refusal `unauthenticated` for a wrong password, `invalid` */
    changePassword: async (
      opened: OpenedSession,
      input: z.input<typeof PasswordChange>,
      client: Client,
    ): Promise<void> => {
      const { password, newPassword } = parsed(PasswordChange, input)
      const person = await proveAgain(opened, password, client)
      await setPassword(person, newPassword, opened.sessionId)
      await audit.record(asPerson(person), { action: 'changePassword', record: person._id })
    },

    /**
     * For what the thief of a session must not do. Those who have no password here, because an identity provider or the
     * embedding program signs them in, are not asked.
     * @throws Refusal `unauthenticated`, `busy`
     */
    prove: async (
      { person, memberships }: Principal,
      { password }: z.input<typeof AgainProven>,
      client: Client,
    ): Promise<void> => {
      if (memberships) return
      const { passwordHash } = await foundIn(persons, { _id: person._id })
      if (passwordHash !== undefined) await proveAgain({ person }, password ?? '', client)
    },

    /** Without a code it starts, with the code of the app it confirms. @throws Refusal `unauthenticated`, `blocked` */
    setUpTotp: async (opened: OpenedSession, input: z.input<typeof TotpChange>, client: Client) => {
      const { password, code } = parsed(TotpChange, input)
      const person = await proveAgain(opened, password, client)
      return code === undefined ? totp.start(person) : totp.confirm(person, code)
    },

    /** @throws Refusal `unauthenticated` for a wrong password */
    removeTotp: async (
      opened: OpenedSession,
      input: z.input<typeof WithPassword>,
      client: Client,
    ): Promise<PersonView> => {
      const person = await proveAgain(opened, parsed(WithPassword, input).password, client)
      const bare = (one: Person): Person => ({ ...(without(one, 'totp', 'recoveryCodes') as Person), updatedAt: iso() })
      const changed = found(persons, await persons.change({ _id: person._id }, bare))
      await audit.record(asPerson(person), { action: 'removeSecondFactor', record: person._id })
      return personView(changed)
    },

    /** Who can open the project, and who is invited. */
    list: async (scope: Scope): Promise<z.output<typeof People>> => {
      const { projectId } = scope
      const accountId = await ownersOf(scope)
      const people: MemberView[] = []
      for (const { personId, role, projectId: only, byProvider, since } of await teams.membersIn(
        accountId,
        projectId,
      )) {
        const person = await persons.get({ _id: personId })
        const within = only === undefined ? 'account' : 'project'
        if (person) people.push(MemberView.parse({ ...personView(person), role, within, byProvider, since }))
      }
      const links = await collected(personLinks.each({ accountId, purpose: 'invitation' }))
      const open = links.filter((one) => (one.projectId ?? projectId) === projectId && one.expiresAt > iso())
      return People.parse({ people, invitations: open.map((one) => invitationView(one)) })
    },

    /** Mails the link, or returns it. @throws Refusal `invalid`, `forbidden` for a role that the inviter's does not cover */
    invite: async (scope: Scope, input: z.input<typeof NewInvitation>): Promise<InvitationView> => {
      const { email, role, within } = parsed(NewInvitation, input)
      const accountId = await ownersOf(scope)
      const { projectId } = scope
      const membership = { accountId, role, ...(within === 'project' && { projectId }) }
      return invite(membership, email, authorOf(scope) ?? commandLine, projectId)
    },

    /** @throws Refusal `not-found`, `forbidden` */
    cancelInvitation: async (scope: Scope, _id: string): Promise<InvitationView> => {
      const accountId = await ownersOf(scope)
      const link = await foundIn({ ...personLinks, noun: 'Invitation' }, { _id, accountId, purpose: 'invitation' })
      if ((link.projectId ?? scope.projectId) !== scope.projectId) throw notFound('Invitation')
      await teams.assertMayGrant(accountId, scope.person?._id, link.projectId, link.role ?? 'analyst')
      await personLinks.remove({ _id })
      const before = { email: link.email, role: link.role }
      await audit.record(authorOf(scope) ?? commandLine, {
        action: 'cancelInvitation',
        projectId: scope.projectId,
        record: _id,
        before,
      })
      return invitationView(link)
    },

    /** @throws Refusal `not-found`, `forbidden`, `blocked` for the last owner */
    changeMember: async (scope: Scope, personId: string, input: z.input<typeof MemberChanges>): Promise<MemberView> => {
      const { role } = parsed(MemberChanges, input)
      const accountId = await ownersOf(scope)
      const person = await foundIn(persons, { _id: personId })
      const before = await memberIn(accountId, scope.projectId, personId)
      if (before.byProvider)
        throw blocked(`${providerSignIns.providerName ?? 'The identity provider'} decides this role. Change it there.`)
      const within = before.projectId === undefined ? {} : { projectId: before.projectId }
      await teams.grant({ accountId, role, ...within }, personId, scope.person?._id)
      await audit.record(authorOf(scope) ?? commandLine, {
        action: 'changeMember',
        projectId: scope.projectId,
        record: personId,
        before: { role: before.role },
        after: { role },
      })
      const after = await memberIn(accountId, scope.projectId, personId)
      return MemberView.parse({
        ...personView(person),
        ...after,
        within: after.projectId === undefined ? 'account' : 'project',
      })
    },

    /** Of the project, or of the account if the membership is the account's. @throws Refusal `not-found`, `forbidden`, `blocked` */
    removeMember: async (scope: Scope, personId: string): Promise<PersonView> => {
      const accountId = await ownersOf(scope)
      const person = await foundIn(persons, { _id: personId })
      const { projectId } = await memberIn(accountId, scope.projectId, personId)
      const role = await teams.revoke(accountId, projectId, personId, scope.person?._id)
      if (projectId !== undefined) await repositories.savedViews.removeAll({ projectId, personId })
      const author = authorOf(scope) ?? commandLine
      await audit.record(author, {
        action: 'removeMember',
        projectId: scope.projectId,
        record: personId,
        before: { email: person.email, role },
      })
      return personView(person)
    },

    /** For the command line, which may do everything. */
    commands: {
      list: async () => {
        const all = await collected(persons.each({}))
        return Promise.all(
          all.map(async (one) => ({
            ...personView(one),
            projects: await teams.projectsOf({ person: personView(one) }),
          })),
        )
      },
      /** Without a password: the link chooses one. @throws Refusal `invalid`, `duplicate`, `not-found` */
      create: async (input: { email: string; name: string; operator?: boolean }, membership?: Membership) => {
        const { email, name } = parsed(NewPerson.omit({ password: true }), { email: input.email, name: input.name })
        if (membership) await assertThere(membership)
        const person = await addPerson({ email, name, operator: input.operator === true })
        if (membership) await teams.grant(membership, person._id, undefined)
        await audit.record(commandLine, {
          action: 'person create',
          record: person._id,
          after: { email, ...membership },
        })
        return { person: personView(person), url: await entryLink(person._id) }
      },
      /** @throws Refusal `invalid`, `not-found`, `blocked` */
      invite: async (email: string, membership: Membership, mailFrom?: string): Promise<InvitationView> => {
        const { email: address } = parsed(NewPerson.pick({ email: true }), { email })
        await assertThere(membership)
        return invite(membership, address, commandLine, mailFrom)
      },
      /**
       * Removes password, second factor and identity, ends all sessions, and returns a link to a new password. Roles stay.
       * @throws Refusal `not-found`
       */
      reset: async (email: string) => {
        const { _id } = await personNamed(email)
        const bare = (one: Person): Person => without(one, 'passwordHash', 'issuer', 'totp', 'recoveryCodes') as Person
        await identities.removeAll({ personId: _id })
        await teams.keepAll(_id)
        const person = found(persons, await persons.change({ _id }, bare))
        await signIn.endAll(_id)
        await audit.record(commandLine, { action: 'person reset', record: _id })
        return { person: personView(person), url: await entryLink(_id) }
      },
      /** Signs in without password, within 15 minutes. @throws Refusal `not-found` */
      link: async (email: string) => {
        const person = await personNamed(email)
        await audit.record(commandLine, { action: 'person link', record: person._id })
        return { person: personView(person), url: (await addLink('sign-in', { personId: person._id })).url }
      },
      /** @throws Refusal `not-found`, `blocked` for the last owner of an account */
      remove: async (email: string): Promise<PersonView> => {
        const person = await personNamed(email)
        await teams.revokeAll(person._id)
        await identities.removeAll({ personId: person._id })
        await persons.remove({ _id: person._id })
        await signIn.endAll(person._id)
        await personLinks.removeAll({ personId: person._id })
        await audit.record(commandLine, {
          action: 'person remove',
          record: person._id,
          before: { email: person.email },
        })
        return personView(person)
      },
    },

    /** Removes what has expired. */
    prune: async (): Promise<void> => {
      await pruneBefore(sessions, iso(-sessionAge))
      await pruneBefore(personLinks, iso(-linkAge.invitation))
      await pruneBefore(auditEntries, iso(-auditAge))
    },
  }

  /** The membership that a project's list of people shows first: the account's. @throws Refusal `not-found` */
  async function memberIn(accountId: string, projectId: string, personId: string) {
    const own = (await teams.membersIn(accountId, projectId)).filter((one) => one.personId === personId)
    const [first] = [...own].sort((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role))
    return found({ noun: 'Person' }, first)
  }

  /** @throws Refusal `not-found` */
  async function assertThere({ accountId, projectId }: Membership): Promise<void> {
    await foundIn(accounts, { _id: accountId })
    if (projectId !== undefined) await foundIn(projects, { _id: projectId, accountId })
  }
}
export type PeopleUseCases = ReturnType<typeof peopleUseCases>

/** Of the console, by the purpose of the link. */
const pages = { setup: 'setup', 'sign-in': 'link', reset: 'reset', invitation: 'invitation' } as const

export type { Role }
