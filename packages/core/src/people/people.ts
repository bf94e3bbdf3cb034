import type { z } from 'zod'
import { parsed } from '../kernel/parsed.js'
import { getOrNotFound, type Repository } from '../kernel/repository.js'
import type { Stamped } from '../kernel/shapes.js'
import { auditAuthorOf, auditDays, personAuthor } from './audit.js'
import { memberUseCases } from './members.js'
import { ownAccountUseCases } from './own-account.js'
import { passwordResetUseCases } from './password-reset.js'
import { peopleCommandUseCases } from './people-commands.js'
import { type PeopleDeps, peopleParts } from './people-parts.js'
import { personLinkLifetimes, RedeemLink, RedeemSetup, sessionAge } from './person.js'
import { operatorReadOnlyViews } from './read-only-views.js'
import type { OpenedSession, SignInClient } from './sessions.js'

const auditAge = auditDays * 24 * 60 * 60_000

/** Records of a kind that only age ends, oldest first; one at a time, as they may be large. */
const pruneBefore = async <T extends Stamped>(repository: Repository<T>, before: string): Promise<void> => {
  for (;;) {
    const oldest = await repository.get({})
    if (!oldest || oldest.createdAt > before) return
    await repository.remove({ _id: oldest._id } as Parameters<typeof repository.remove>[0])
  }
}

/** Persons, their sessions and roles, and the audit log. Every failed sign-in gets the same response. */
export const peopleUseCases = (deps: PeopleDeps) => {
  const parts = peopleParts(deps)
  const { credentials, settings, audit, teams, signIn, providerSignIns, links, iso, assertPasswords, addPerson } = parts
  const { persons, personLinks, sessions, auditEntries } = deps.repositories
  const { inviteAs, ...members } = memberUseCases(parts)

  return {
    ...signIn,
    ...providerSignIns,
    /** @throws Refusal `unauthenticated`, `busy`, `blocked` without passwords */
    signIn: async (...given: Parameters<typeof signIn.signIn>): Promise<OpenedSession> => {
      assertPasswords()
      return signIn.signIn(...given)
    },
    audit: { ...audit, authorOf: auditAuthorOf },
    scopeIn: teams.scopeIn,
    projectsOf: teams.projectsOf,
    mailsLinks: settings.mailsLinks === true,

    /** Undefined once somebody exists, or without passwords. Replaces earlier links of this kind. */
    setupLink: async (): Promise<string | undefined> => {
      if (!providerSignIns.passwords || (await persons.get({}))) return undefined
      await personLinks.removeAll({ purpose: 'setup' })
      return (await links.add('setup')).url
    },

    /**
     * Creates an operator who owns every account without owner.
     * @throws Refusal `unauthenticated`, `invalid`, `duplicate`
     */
    setUp: async (input: z.input<typeof RedeemSetup>, client: SignInClient): Promise<OpenedSession> => {
      assertPasswords()
      const { token, email, name, password } = parsed(RedeemSetup, input)
      const link = await links.find(token, 'setup', client)
      const passwordHash = await credentials.hash(password)
      await links.useUp(link)
      const person = await addPerson({ email, name, passwordHash, operator: true })
      for (const accountId of await teams.unowned())
        await teams.grant({ accountId, role: 'owner' }, person._id, undefined)
      await audit.record(personAuthor(person), {
        action: 'setUp',
        record: person._id,
        after: { email, operator: true },
      })
      return signIn.begin(person, client)
    },

    /** Signs in with a link of the command line. @throws Refusal `unauthenticated` */
    followLink: async (input: z.input<typeof RedeemLink>, client: SignInClient): Promise<OpenedSession> => {
      const link = await links.find(parsed(RedeemLink, input).token, 'sign-in', client)
      await links.useUp(link)
      return signIn.begin(await getOrNotFound(persons, { _id: link.personId ?? '' }), client)
    },

    ...passwordResetUseCases(parts),
    ...ownAccountUseCases(parts),
    ...operatorReadOnlyViews(parts),
    ...members,
    commands: peopleCommandUseCases({ ...parts, inviteAs }),

    /** Removes what has expired. */
    prune: async (): Promise<void> => {
      await pruneBefore(sessions, iso(-sessionAge))
      await pruneBefore(personLinks, iso(-personLinkLifetimes.invitation))
      await pruneBefore(auditEntries, iso(-auditAge))
    },
  }
}
