import type { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import { blocked, notFound } from '../kernel/refusal.js'
import { getOrNotFound, orNotFound } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { standardLanguage } from '../languages/languages.js'
import { type AuditAuthor, type AuditedChange, auditAuthorOf, commandLineAuthor, personAuthor } from './audit.js'
import type { PeopleParts } from './people-parts.js'
import {
  AcceptInvitation,
  InvitationView,
  type Member,
  MemberChanges,
  MemberView,
  NewInvitation,
  NewPerson,
  PeopleView,
  type Person,
  type PersonLink,
  type PersonView,
  personView,
  type RoleMembership,
} from './person.js'
import { roles } from './roles.js'
import type { OpenedSession, SignInClient } from './sessions.js'

const withinOf = ({ projectId }: { readonly projectId?: string | undefined }) =>
  projectId === undefined ? 'account' : 'project'

const invitationView = (link: PersonLink, url?: string): InvitationView =>
  InvitationView.parse({ ...link, within: withinOf(link), ...(url !== undefined && { link: url }) })

const memberView = (person: Person, member: Member): MemberView =>
  MemberView.parse({ ...personView(person), ...member, within: withinOf(member) })

export const memberUseCases = ({
  repositories,
  credentials,
  accountOf,
  audit,
  teams,
  signIn,
  providerSignIns,
  links,
  iso,
  mailLink,
  assertPasswords,
  addPerson,
}: PeopleParts) => {
  const { persons, personLinks } = repositories
  const ownersOf = ({ projectId }: Scope) => accountOf(projectId)

  /** The membership that a project's list of people shows first: the account's. @throws Refusal `not-found` */
  const memberIn = async (accountId: string, projectId: string, personId: string) => {
    const own = (await teams.membersIn(accountId, projectId)).filter((one) => one.personId === personId)
    const [first] = [...own].sort((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role))
    return orNotFound({ noun: 'Person' }, first)
  }

  const note = (scope: Scope, action: string, record: string, change: Pick<AuditedChange, 'before' | 'after'>) =>
    audit.record(auditAuthorOf(scope) ?? commandLineAuthor, { action, projectId: scope.projectId, record, ...change })

  const inviteAs = async (
    membership: RoleMembership,
    email: string,
    by: AuditAuthor,
    mailFrom: string | undefined,
  ): Promise<InvitationView> => {
    const { accountId, projectId, role } = membership
    assertPasswords()
    if (role === 'owner' && projectId !== undefined) throw blocked('An owner owns the whole account, not one project.')
    await teams.assertMayGrant(accountId, by.byId, projectId, role)
    const { link, url } = await links.add('invitation', {
      email,
      ...membership,
      ...(by.byId && { invitedBy: by.byId }),
    })
    const { language = standardLanguage } = (by.byId && (await persons.get({ _id: by.byId }))) || {}
    const isMailed =
      mailFrom !== undefined &&
      (await mailLink({ to: email, url, purpose: 'invitation', projectId: mailFrom, language }))
    await audit.record(by, {
      action: 'invitePerson',
      projectId: mailFrom,
      record: link._id,
      after: { email, ...membership },
    } as const)
    return invitationView(link, isMailed ? undefined : url)
  }

  return {
    inviteAs,

    /**
     * Signs in. People who have an account already prove it with their password.
     * @throws Refusal `unauthenticated`, `invalid`, `forbidden` if the inviter may no longer grant the role
     */
    accept: async (input: z.input<typeof AcceptInvitation>, client: SignInClient): Promise<OpenedSession> => {
      assertPasswords()
      const { token, name, password, code } = parsed(AcceptInvitation, input)
      const link = await links.find(token, 'invitation', client)
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
      await links.useUp(link)
      const person =
        proven ?? (await addPerson({ email, name: given?.name ?? email, ...(passwordHash && { passwordHash }) }))
      await teams.grant({ accountId, role, ...(projectId !== undefined && { projectId }) }, person._id, invitedBy)
      const after = { email, role, ...(projectId === undefined && { accountId }) }
      await audit.record(personAuthor(person), {
        action: 'acceptInvitation',
        record: person._id,
        after,
        ...(projectId !== undefined && { projectId }),
      })
      return signIn.begin(person, client)
    },

    list: async (scope: Scope): Promise<z.output<typeof PeopleView>> => {
      const { projectId } = scope
      const accountId = await ownersOf(scope)
      const people: MemberView[] = []
      for (const member of await teams.membersIn(accountId, projectId)) {
        const person = await persons.get({ _id: member.personId })
        if (person) people.push(memberView(person, member))
      }
      const links = await collected(personLinks.each({ accountId, purpose: 'invitation' }))
      const open = links.filter((one) => (one.projectId ?? projectId) === projectId && one.expiresAt > iso())
      return PeopleView.parse({ people, invitations: open.map((one) => invitationView(one)) })
    },

    /** Mails the link, or returns it. @throws Refusal `invalid`, `forbidden` for a role that the inviter's does not cover */
    invite: async (scope: Scope, input: z.input<typeof NewInvitation>): Promise<InvitationView> => {
      const { email, role, within } = parsed(NewInvitation, input)
      const accountId = await ownersOf(scope)
      const { projectId } = scope
      const membership = { accountId, role, ...(within === 'project' && { projectId }) }
      return inviteAs(membership, email, auditAuthorOf(scope) ?? commandLineAuthor, projectId)
    },

    /** @throws Refusal `not-found`, `forbidden` */
    cancelInvitation: async (scope: Scope, _id: string): Promise<InvitationView> => {
      const accountId = await ownersOf(scope)
      const link = await getOrNotFound(
        { ...personLinks, noun: 'Invitation' },
        { _id, accountId, purpose: 'invitation' },
      )
      if ((link.projectId ?? scope.projectId) !== scope.projectId) throw notFound('Invitation')
      await teams.assertMayGrant(accountId, scope.person?._id, link.projectId, link.role ?? 'analyst')
      await personLinks.remove({ _id })
      await note(scope, 'cancelInvitation', _id, { before: { email: link.email, role: link.role } })
      return invitationView(link)
    },

    /** @throws Refusal `not-found`, `forbidden`, `blocked` for the last owner */
    changeMember: async (scope: Scope, personId: string, input: z.input<typeof MemberChanges>): Promise<MemberView> => {
      const { role } = parsed(MemberChanges, input)
      const accountId = await ownersOf(scope)
      const person = await getOrNotFound(persons, { _id: personId })
      const before = await memberIn(accountId, scope.projectId, personId)
      if (before.byProvider)
        throw blocked(`${providerSignIns.providerName ?? 'The identity provider'} decides this role. Change it there.`)
      const within = before.projectId === undefined ? {} : { projectId: before.projectId }
      await teams.grant({ accountId, role, ...within }, personId, scope.person?._id)
      await note(scope, 'changeMember', personId, { before: { role: before.role }, after: { role } })
      const after = await memberIn(accountId, scope.projectId, personId)
      return memberView(person, after)
    },

    /** Of the project, or of the account if the membership is the account's. @throws Refusal `not-found`, `forbidden`, `blocked` */
    removeMember: async (scope: Scope, personId: string): Promise<PersonView> => {
      const accountId = await ownersOf(scope)
      const person = await getOrNotFound(persons, { _id: personId })
      const { projectId } = await memberIn(accountId, scope.projectId, personId)
      const role = await teams.revoke(accountId, projectId, personId, scope.person?._id)
      if (projectId !== undefined) await repositories.savedViews.removeAll({ projectId, personId })
      await note(scope, 'removeMember', personId, { before: { email: person.email, role } })
      return personView(person)
    },
  }
}
