import { z } from 'zod'
import type { Account } from '../accounts/account.js'
import { addressKey, EmailAddress } from '../kernel/email-address.js'
import { without } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import type { Counters, Runtime } from '../kernel/ports.js'
import { blocked, ifRefused, Refusal, shortened, unauthenticated } from '../kernel/refusal.js'
import { getOrNotFound, ifKeyTaken, orNotFound, type RepositoriesFor } from '../kernel/repository.js'
import { headerTextSchema, stamps } from '../kernel/shapes.js'
import { standardLanguage } from '../languages/languages.js'
import { type AuditLog, personAuthor } from './audit.js'
import {
  type ExternalIdentity,
  type Person,
  type PersonLink,
  ProviderSignInAnswer,
  providerSignInTimeout,
} from './person.js'
import {
  type IdentityProvider,
  IdentityProviderFailure,
  type ProviderClaims,
  type ProviderSignInChecks,
  type ProviderSignInFailureReason,
} from './ports.js'
import {
  type IdentityProviderSettings,
  type ProviderGivenRoles,
  type ProviderRoleMapping,
  providerClaimValues,
  providerGivenRoles,
} from './roles.js'
import type { OpenedSession, SignInClient, SignInUseCases } from './sessions.js'
import type { RoleChange, TeamUseCases } from './teams.js'

type Deps = Pick<Runtime, 'secrets' | 'clock' | 'newId' | 'log'> & {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    persons: Person
    identities: ExternalIdentity
    personLinks: PersonLink
  }>
  readonly identityProvider?: IdentityProvider | undefined
  readonly settings: { readonly publicUrl: string; readonly identityProvider?: IdentityProviderSettings | undefined }
  readonly counters: Pick<Counters, 'takeUpTo'>
  readonly audit: AuditLog
  readonly teams: TeamUseCases
  readonly signIn: SignInUseCases
}

/** Sealed in a cookie of the browser. `until` in ms; `personId`: who connects, and does not sign in. */
const Flow = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  until: z.number(),
  personId: z.string().optional(),
})
type Flow = z.output<typeof Flow>

/** `flow`: the sealed cookie with which the browser must come back. */
type ProviderRedirect = { readonly url: string; readonly flow: string }

const ProviderName = headerTextSchema(200).trim().min(1)

const mostLogged = 20

const textOf = (claim: unknown): string | undefined => (typeof claim === 'string' ? claim : undefined)

/** An address counts only if the provider says that it has verified it. */
const emailIn = ({ claims }: ProviderClaims) => {
  const { data: email } = EmailAddress.safeParse(claims.email)
  return { email, isVerified: claims.email_verified === true || claims.email_verified === 'true' }
}

const nameIn = ({ claims }: ProviderClaims, email: string): string => {
  const given = [claims.given_name, claims.family_name].flatMap((one) => textOf(one) ?? []).join(' ')
  const names = [claims.name, given, claims.preferred_username, email]
  return names.map((one) => ProviderName.safeParse(one).data).find((one) => one !== undefined) ?? 'Unnamed'
}

/** Sign-in by the identity provider. A person is found by issuer and subject, never by an address. */
export const providerSignIn = (deps: Deps) => {
  const { repositories, secrets, clock, newId, log, audit, teams, signIn, identityProvider: provider } = deps
  const { accounts, persons, identities, personLinks } = repositories
  const { publicUrl, identityProvider: rules } = deps.settings
  const isOpen = provider !== undefined && rules !== undefined
  const redirectUri = `${publicUrl}/console/sign-in/callback`
  const now = () => clock().getTime()
  const iso = () => clock().toISOString()
  const name = rules?.name ?? ''

  const expired = () =>
    unauthenticated(
      'This sign-in has expired, was used already, or began in another browser. Sign in again.',
      'sign-in-expired',
    )
  const noRole = () =>
    unauthenticated(
      `${name} gives you no role here. Ask the operator of this server for one, then sign in again.`,
      'no-role',
    )
  const taken = () =>
    unauthenticated(
      `Somebody with your e-mail address signs in here without ${name}. If it is you, sign in as before and connect ${name} in the settings of your account; otherwise ask the operator of this server.`,
      'address-taken',
    )
  const failures: Readonly<Record<ProviderSignInFailureReason, () => Refusal>> = {
    unreachable: () =>
      new Refusal('unavailable', `${name} does not respond. Try again in a minute.`, 'provider-unreachable'),
    misconfigured: () =>
      new Refusal(
        'unavailable',
        `Sign-in with ${name} is not set up correctly. Ask the operator of this server, whose log has the reason.`,
        'provider-misconfigured',
      ),
    denied: () =>
      unauthenticated(`${name} did not sign you in. Try again, or ask the operator of this server.`, 'provider-denied'),
    invalid: () =>
      unauthenticated(
        `The answer of ${name} was not accepted. Sign in again; if that fails, ask the operator of this server.`,
        'provider-invalid',
      ),
  }
  const failed = (error: unknown): never => {
    if (!(error instanceof IdentityProviderFailure)) throw error
    log('warn', 'A sign-in by the identity provider failed', { reason: error.reason, detail: error.message })
    throw failures[error.reason]()
  }

  const opened = () => {
    if (!provider || !rules) throw blocked('This server has no identity provider.')
    return { provider, rules }
  }

  const flowIn = (sealed: string | undefined): Flow | undefined => {
    if (sealed === undefined) return undefined
    try {
      return Flow.parse(JSON.parse(secrets.open(sealed)))
    } catch {
      return undefined
    }
  }

  /** The answer of the provider to a visit of this browser, once. @throws Refusal `unauthenticated` */
  const flowOf = async (sealed: string | undefined, answer: URLSearchParams): Promise<Flow> => {
    const flow = flowIn(sealed)
    if (!flow || flow.until <= now() || answer.get('state') !== flow.state) throw expired()
    const key = `sign-in ${secrets.digest(flow.state)}`
    const isFirst = await deps.counters.takeUpTo({ key, n: 1, limit: 1 }, new Date(flow.until + providerSignInTimeout))
    if (isFirst !== 1) throw expired()
    return flow
  }

  const digestOf = ({ issuer, subject }: Pick<ProviderClaims, 'issuer' | 'subject'>) =>
    secrets.digest(`identity ${JSON.stringify([issuer, subject])}`)

  const firstAccount = async (): Promise<string | undefined> => {
    for await (const { _id } of accounts.each({})) return _id
    return undefined
  }

  const isThere = async ({ accountId }: ProviderRoleMapping): Promise<boolean> => {
    if (accountId === undefined || (await accounts.get({ _id: accountId }))) return true
    log('warn', 'A role of the identity provider is for an account that does not exist', { account: accountId })
    return false
  }

  /** Undefined: nobody gets in. */
  const rolesOf = async ({ claims, subject }: ProviderClaims): Promise<ProviderGivenRoles | undefined> => {
    const { rules } = opened()
    const values = providerClaimValues(claims, rules.claim)
    const given: ProviderRoleMapping[] = []
    for (const one of rules.roles) if (values.includes(one.value) && (await isThere(one))) given.push(one)
    const roles = providerGivenRoles(given, await firstAccount())
    if (!roles)
      log('info', 'The identity provider gives somebody no role', {
        subject,
        claim: rules.claim,
        values: values.slice(0, mostLogged).map(shortened),
      })
    return roles
  }

  const record = (person: Person, action: string, after: object) =>
    audit.record(personAuthor(person), { action, record: person._id, after })

  /** @throws Refusal `blocked` if an account would lose its last owner, or a team is full */
  const assign = async (person: Person, byAccount: ProviderGivenRoles['byAccount']): Promise<void> => {
    const changes: RoleChange[] = []
    try {
      await teams.assign(person._id, byAccount, (change) => void changes.push(change))
    } finally {
      if (changes.length > 0) await record(person, 'providerRoles', { changes })
    }
  }

  /** @throws Refusal `unauthenticated` if an account would lose its last owner, or a team is full */
  const assignOrRefuse = (person: Person, { byAccount }: ProviderGivenRoles): Promise<void> =>
    assign(person, byAccount).catch(
      ifRefused(({ message }) => {
        throw unauthenticated(
          `The role that ${name} gives you cannot be applied. ${message} Ask the operator of this server.`,
          'role-not-applied',
        )
      }),
    )

  /** The provider alone signs the person in; its verified address is the person's, unless somebody else here has it. */
  const adopted = async (
    person: Person,
    claims: ProviderClaims,
    { isOperator }: ProviderGivenRoles,
  ): Promise<Person> => {
    const { email, isVerified } = emailIn(claims)
    const change = (address: Partial<Person>) =>
      persons.change({ _id: person._id }, (one) => ({
        ...without(one, 'passwordHash', 'totp', 'recoveryCodes'),
        issuer: claims.issuer,
        operator: isOperator,
        ...address,
        updatedAt: iso(),
      }))
    const address = email !== undefined && isVerified ? { email, emailKey: addressKey(email) } : {}
    return orNotFound(persons, await change(address).catch(ifKeyTaken(() => change({}))))
  }

  const personOf = async (claims: ProviderClaims): Promise<Person | undefined> => {
    const identity = await identities.get({ digest: digestOf(claims) })
    return identity && persons.get({ _id: identity.personId })
  }

  /** Returns the person's id. Runs before the person is added: the next sign-in completes an interrupted one. */
  const identify = async ({ issuer, subject }: ProviderClaims, personId: string): Promise<string> => {
    const digest = digestOf({ issuer, subject })
    const added: ExternalIdentity = { _id: newId(), digest, issuer, subject, personId, ...stamps(iso()) }
    await identities.add(added).catch(ifKeyTaken(() => undefined))
    return (await getOrNotFound(identities, { digest })).personId
  }

  /** @throws Refusal `unauthenticated` without an address, or if somebody here has it */
  const added = async (claims: ProviderClaims): Promise<Person> => {
    const { email, isVerified } = emailIn(claims)
    if (email === undefined)
      throw unauthenticated(
        `${name} does not say what your e-mail address is. Ask the operator of this server.`,
        'no-address',
      )
    const digest = digestOf(claims)
    // Neither invitations nor links to a new password reach this person by an unverified address.
    const emailKey = isVerified ? addressKey(email) : `identity ${digest}`
    const other = await persons.get({ emailKey })
    if (other && other._id !== (await personOf(claims))?._id) throw taken()
    const person: Person = {
      _id: await identify(claims, newId()),
      email,
      emailKey,
      name: nameIn(claims, email),
      issuer: claims.issuer,
      language: standardLanguage,
      theme: 'system',
      operator: false,
      ...stamps(iso()),
    }
    await persons.add(person).catch(
      ifKeyTaken(async () => {
        // Another request added the same person, or somebody else took the address.
        if (!(await persons.get({ _id: person._id }))) throw taken()
      }),
    )
    await record(person, 'joinByProvider', { email, issuer: claims.issuer })
    return person
  }

  /** The last owner of an account stays one, and cannot sign in. */
  const shutOut = async (person: Person): Promise<void> => {
    await signIn.endAll(person._id)
    await persons.change({ _id: person._id }, (one) => ({ ...one, operator: false, updatedAt: iso() }))
    await record(person, 'signInWithoutRole', {})
    await assign(person, new Map()).catch(ifRefused(() => undefined))
  }

  const entered = async (claims: ProviderClaims): Promise<Person> => {
    const given = await rolesOf(claims)
    const known = await personOf(claims)
    if (!given) {
      if (known) await shutOut(known)
      throw noRole()
    }
    const person = known ?? (await added(claims))
    await assignOrRefuse(person, given).catch(async (error: unknown) => {
      await signIn.endAll(person._id)
      throw error
    })
    return adopted(person, claims, given)
  }

  /**
   * Two proofs: a session of the person, and the same address verified by the provider, which alone signs them in from
   * then on.
   * @throws Refusal `unauthenticated`
   */
  const connected = async (claims: ProviderClaims, personId: string): Promise<Person> => {
    const person = await getOrNotFound(persons, { _id: personId })
    const { email, isVerified } = emailIn(claims)
    if (email === undefined || !isVerified || addressKey(email) !== person.emailKey)
      throw unauthenticated(
        `${name} has not verified that ${person.email} is your e-mail address. Sign in there as the same person, or ask the operator of this server.`,
        'address-differs',
      )
    const given = await rolesOf(claims)
    if (!given) throw noRole()
    const owner = await personOf(claims)
    if (owner && owner._id !== personId) throw taken()
    await assignOrRefuse(person, given)
    await identify(claims, personId)
    await identities.change({ digest: digestOf(claims) }, (one) => ({ ...one, personId, updatedAt: iso() }))
    const after = await adopted(person, claims, given)
    await signIn.endAll(personId)
    await personLinks.removeAll({ personId })
    await record(person, 'connectProvider', { issuer: claims.issuer })
    return after
  }

  return {
    /** The name of the provider; undefined without one. */
    providerName: isOpen ? name : undefined,
    passwords: !isOpen || rules.passwords,

    /** `connecting`: the person to be signed in by the provider from now on. @throws Refusal `busy`, `blocked`, `unavailable` */
    visitProvider: async (client: SignInClient, connecting?: OpenedSession): Promise<ProviderRedirect> => {
      const { provider } = opened()
      if (connecting?.person.external) throw blocked(`${name} signs you in already.`)
      signIn.chargeVisit(client)
      const checks: ProviderSignInChecks = {
        state: secrets.random(32),
        nonce: secrets.random(32),
        verifier: secrets.random(32),
      }
      const personId = connecting?.person._id
      const flow: Flow = {
        ...checks,
        until: now() + providerSignInTimeout,
        ...(personId !== undefined && { personId }),
      }
      const url = await provider.authorizationUrl(redirectUri, checks).catch(failed)
      return { url, flow: secrets.seal(JSON.stringify(flow)) }
    },

    /**
     * Signs in with the provider's answer, or connects the person of `session`. Reads the roles anew.
     * @throws Refusal `unauthenticated`, `unavailable`, each with a code; `busy`
     */
    signInByProvider: async (
      input: z.input<typeof ProviderSignInAnswer>,
      sealed: string | undefined,
      client: SignInClient,
      session: () => Promise<OpenedSession>,
    ): Promise<OpenedSession> => {
      const { provider } = opened()
      const { answer } = parsed(ProviderSignInAnswer, input)
      signIn.attempt(client.addressBlock)
      const query = new URLSearchParams(answer)
      const { personId, until: _, ...checks } = await flowOf(sealed, query)
      if (personId !== undefined && (await session()).person._id !== personId) throw expired()
      const claims = await provider.claimsOf(`${redirectUri}?${query}`, checks).catch(failed)
      const person = personId === undefined ? await entered(claims) : await connected(claims, personId)
      signIn.succeed(client.addressBlock)
      return signIn.begin(person, client)
    },
  }
}
