import type { Account } from '../accounts/account.js'
import { addressKey } from '../kernel/email-address.js'
import type { Counters, Runtime } from '../kernel/ports.js'
import { blocked, duplicate, unauthenticated } from '../kernel/refusal.js'
import { getOrNotFound, orNotFound, type RepositoriesFor, refuseIfKeyTaken } from '../kernel/repository.js'
import { stamps } from '../kernel/shapes.js'
import { standardLanguage } from '../languages/languages.js'
import type { AccountOf, Project } from '../projects/project.js'
import { type AuditEntry, auditLog } from './audit.js'
import type { ExternalIdentity, Person, PersonLink, Session, Team } from './person.js'
import { type PersonLinkMail, personLinkUseCases } from './person-links.js'
import type { CredentialHasher, IdentityProvider } from './ports.js'
import { providerSignIn } from './provider-sign-in.js'
import type { IdentityProviderSettings } from './roles.js'
import type { SavedView } from './saved-views.js'
import { type OpenedSession, type SignInClient, signInUseCases } from './sessions.js'
import { teamUseCases } from './teams.js'

export type PeopleDeps = Pick<Runtime, 'secrets' | 'clock' | 'newId' | 'log'> & {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    projects: Project
    persons: Person
    teams: Team
    sessions: Session
    personLinks: PersonLink
    identities: ExternalIdentity
    auditEntries: AuditEntry
    savedViews: SavedView
  }>
  readonly credentials: CredentialHasher
  readonly accountOf: AccountOf
  readonly counters: Pick<Counters, 'takeUpTo'>
  readonly identityProvider?: IdentityProvider | undefined
  readonly settings: {
    readonly publicUrl: string
    readonly mailsLinks?: boolean | undefined
    readonly identityProvider?: IdentityProviderSettings | undefined
  }
  /** Whether the mail is durably queued. */
  readonly mailLink: (mail: PersonLinkMail) => Promise<boolean>
}

export const peopleParts = (deps: PeopleDeps) => {
  const { repositories, credentials, secrets, clock, newId, settings } = deps
  const { persons, personLinks } = repositories
  const audit = auditLog(deps)
  const teams = teamUseCases(deps)
  const signIn = signInUseCases({ ...deps, audit })
  const providerSignIns = providerSignIn({ ...deps, audit, teams, signIn })
  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()
  const links = personLinkUseCases({ personLinks, secrets, clock, newId, publicUrl: settings.publicUrl, signIn })

  return {
    ...deps,
    audit,
    teams,
    signIn,
    providerSignIns,
    links,
    iso,

    /** @throws Refusal `blocked` if only the identity provider signs people in */
    assertPasswords: (): void => {
      if (!providerSignIns.passwords)
        throw blocked(
          `${providerSignIns.providerName} signs people in here, and decides their roles. Passwords are not used.`,
        )
    },

    /** @throws Refusal `duplicate` */
    addPerson: async (
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
      await persons
        .add(person)
        .catch(refuseIfKeyTaken(() => duplicate('There is a person with this e-mail address already.')))
      return person
    },

    /** Also ends the person's other sessions. */
    setPassword: async ({ _id }: Pick<Person, '_id'>, password: string, keep?: string): Promise<Person> => {
      const passwordHash = await credentials.hash(password)
      const person = orNotFound(
        persons,
        await persons.change({ _id }, (one) => ({ ...one, passwordHash, updatedAt: iso() })),
      )
      await signIn.endAll(_id, keep)
      return person
    },

    /** @throws Refusal `unauthenticated`, `busy` */
    proveAgain: async (
      { person }: Pick<OpenedSession, 'person'>,
      password: string,
      client: SignInClient,
    ): Promise<Person> => {
      const { passwordHash, emailKey } = await getOrNotFound(persons, { _id: person._id })
      const succeeded = signIn.attemptAs(emailKey, client)
      const { isRight } = await credentials.matches(password, passwordHash)
      if (!isRight) throw unauthenticated('The password is wrong.', 'wrong-password')
      succeeded()
      return getOrNotFound(persons, { _id: person._id })
    },

    /** To a new password; where there are none, one that signs in once. */
    entryLink: async (personId: string): Promise<string> =>
      (await links.add(providerSignIns.passwords ? 'reset' : 'sign-in', { personId })).url,
  }
}
export type PeopleParts = ReturnType<typeof peopleParts>
