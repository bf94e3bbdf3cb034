import { addressKey } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import { getOrNotFound, orNotFound } from '../kernel/repository.js'
import { commandLineAuthor } from './audit.js'
import type { memberUseCases } from './members.js'
import type { PeopleParts } from './people-parts.js'
import {
  type InvitationView,
  NewPerson,
  type Person,
  type PersonView,
  personView,
  type RoleMembership,
} from './person.js'

type Deps = PeopleParts & Pick<ReturnType<typeof memberUseCases>, 'inviteAs'>

/** For the command line, which may do everything. */
export const peopleCommandUseCases = ({
  repositories,
  audit,
  teams,
  signIn,
  links,
  addPerson,
  entryLink,
  inviteAs,
}: Deps) => {
  const { accounts, projects, persons, personLinks, identities } = repositories

  /** Some people of an identity provider have no verified address: their id names them. */
  const personNamed = async (emailOrId: string): Promise<Person> =>
    (await persons.get({ emailKey: addressKey(emailOrId) })) ?? getOrNotFound(persons, { _id: emailOrId })

  const assertThere = async ({ accountId, projectId }: RoleMembership): Promise<void> => {
    await getOrNotFound(accounts, { _id: accountId })
    if (projectId !== undefined) await getOrNotFound(projects, { _id: projectId, accountId })
  }

  return {
    list: async () => {
      const all = await collected(persons.each({}))
      return Promise.all(
        all.map(async (one) => ({ ...personView(one), projects: await teams.projectsOf({ person: personView(one) }) })),
      )
    },
    /** Without a password: the link chooses one. @throws Refusal `invalid`, `duplicate`, `not-found` */
    create: async (input: { email: string; name: string; operator?: boolean }, membership?: RoleMembership) => {
      const { email, name } = parsed(NewPerson.omit({ password: true }), { email: input.email, name: input.name })
      if (membership) await assertThere(membership)
      const person = await addPerson({ email, name, operator: input.operator === true })
      if (membership) await teams.grant(membership, person._id, undefined)
      await audit.record(commandLineAuthor, {
        action: 'person create',
        record: person._id,
        after: { email, ...membership },
      })
      return { person: personView(person), url: await entryLink(person._id) }
    },
    /** @throws Refusal `invalid`, `not-found`, `blocked` */
    invite: async (email: string, membership: RoleMembership, mailFrom?: string): Promise<InvitationView> => {
      const { email: address } = parsed(NewPerson.pick({ email: true }), { email })
      await assertThere(membership)
      return inviteAs(membership, address, commandLineAuthor, mailFrom)
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
      const person = orNotFound(persons, await persons.change({ _id }, bare))
      await signIn.endAll(_id)
      await audit.record(commandLineAuthor, { action: 'person reset', record: _id })
      return { person: personView(person), url: await entryLink(_id) }
    },
    /** Signs in without password, within 15 minutes. @throws Refusal `not-found` */
    link: async (email: string) => {
      const person = await personNamed(email)
      await audit.record(commandLineAuthor, { action: 'person link', record: person._id })
      return { person: personView(person), url: (await links.add('sign-in', { personId: person._id })).url }
    },
    /** @throws Refusal `not-found`, `blocked` for the last owner of an account */
    remove: async (email: string): Promise<PersonView> => {
      const person = await personNamed(email)
      await teams.revokeAll(person._id)
      await identities.removeAll({ personId: person._id })
      await persons.remove({ _id: person._id })
      await signIn.endAll(person._id)
      await personLinks.removeAll({ personId: person._id })
      await audit.record(commandLineAuthor, {
        action: 'person remove',
        record: person._id,
        before: { email: person.email },
      })
      return personView(person)
    },
  }
}
