import type { Account } from '../accounts/account.js'
import { collected } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import type { Clock } from '../kernel/ports.js'
import { blocked, forbidden, notFound } from '../kernel/refusal.js'
import { ifKeyTaken, type RepositoriesFor } from '../kernel/repository.js'
import type { Permission, Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { AccountOf, Project } from '../projects/project.js'
import type { Member, RoleMembership, SignedIn, SignedInPerson, Team } from './person.js'
import { currentReadOnlyView, readOnlyViewPermissions } from './read-only-views.js'
import { mayGrant, permissionsOf, type Role, roles } from './roles.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ accounts: Account; projects: Project; teams: Team }>
  readonly accountOf: AccountOf
  readonly clock: Clock
}

/** Of the role in a whole account. */
export type RoleChange = {
  readonly accountId: string
  readonly before: Role | undefined
  readonly after: Role | undefined
}

type Held = Pick<Member, 'role' | 'projectId'>

/** Roles that count in the project; in the whole account if `projectId` is undefined. */
const rolesIn = (held: readonly Held[], projectId: string | undefined): readonly Role[] =>
  held.filter((one) => one.projectId === undefined || one.projectId === projectId).map(({ role }) => role)

const heldBy = (members: readonly Member[], personId: string) => members.filter((one) => one.personId === personId)

const isSame = (one: Member, personId: string, projectId: string | undefined) =>
  one.personId === personId && one.projectId === projectId

const withMembers = (team: Team, members: readonly Member[], updatedAt: string): Team => ({
  ...team,
  members,
  personIds: [...new Set(members.map(({ personId }) => personId))],
  updatedAt,
})

const hasOwner = (members: readonly Member[]) => members.some(({ role }) => role === 'owner')

/** More than any team; a record must not grow without end. */
const mostMembers = 1_000

const assertRoom = ({ length }: readonly Member[]): void => {
  if (length >= mostMembers) throw blocked(`A team has at most ${mostMembers} members.`)
}

/** A person; undefined for the command line, which may do everything. */
type GrantedBy = string | undefined

/** Changes a team's record in one step: concurrent changes cannot leave an account without owner. */
export const teamUseCases = ({ repositories: { accounts, projects, teams }, accountOf, clock }: Deps) => {
  const heldIn = async ({ person, memberships }: SignedInPerson, accountId: string): Promise<readonly Held[]> =>
    memberships?.filter((one) => one.accountId === accountId) ??
    heldBy((await teams.get({ _id: accountId }))?.members ?? [], person._id)

  /** @throws Refusal `forbidden` unless `by` may grant the role, and take it, in the project or the whole account */
  const assertCovers = (
    team: Team,
    by: GrantedBy,
    projectId: string | undefined,
    ...granted: readonly Role[]
  ): void => {
    if (by === undefined) return
    const held = permissionsOf(rolesIn(heldBy(team.members, by), projectId))
    if (!held.includes('people.edit') || !granted.every((role) => mayGrant(held, role)))
      throw forbidden('Your role does not include everything that this role permits.')
  }

  const change = async (accountId: string, decide: (team: Team, now: string) => Team): Promise<void> => {
    const now = clock().toISOString()
    const empty: Team = { _id: accountId, personIds: [], members: [], ...stamps(now) }
    await teams.add(empty).catch(ifKeyTaken(() => undefined))
    await teams.change({ _id: accountId }, (team) => {
      const next = decide(team, now)
      if (hasOwner(team.members) && !hasOwner(next.members))
        throw blocked('An account must keep at least one owner. Make somebody else an owner first.')
      return next
    })
  }

  const accountsOf = async (personId: string) =>
    (await collected(teams.each({ personIds: personId }))).map(({ _id }) => _id)

  return {
    /** @throws Refusal `forbidden`, also for an unknown project */
    scopeIn: async (principal: SignedInPerson, projectId: string, permission: Permission): Promise<Scope> => {
      const { _id, name } = principal.person
      const held = await heldIn(principal, await accountOf(projectId))
      const own = permissionsOf(rolesIn(held, projectId))
      const isViewed = currentReadOnlyView(principal, clock())?.projectId === projectId
      const permissions = isViewed ? [...new Set([...own, ...readOnlyViewPermissions])] : own
      if (!permissions.includes(permission))
        throw forbidden(
          permissions.length === 0
            ? 'You are not a member of this project.'
            : `Your role does not include the permission ${permission}.`,
        )
      return { projectId, caller: 'person', person: { _id, name, permissions } }
    },

    /** The projects of a person by account, with the strongest role. */
    projectsOf: async (principal: SignedInPerson): Promise<SignedIn['projects']> => {
      const { person, memberships } = principal
      const ids = memberships ? [...new Set(memberships.map((one) => one.accountId))] : await accountsOf(person._id)
      const found: SignedIn['projects'] = []
      for (const accountId of ids) {
        const account = await accounts.get({ _id: accountId })
        const held = await heldIn(principal, accountId)
        if (!account) continue
        for await (const { _id, name } of projects.each({ accountId })) {
          const own = rolesIn(held, _id)
          const role = roles.find((one) => own.includes(one))
          if (role)
            found.push({ _id, name, accountId, accountName: account.name, role, permissions: [...permissionsOf(own)] })
        }
      }
      const view = currentReadOnlyView(principal, clock())
      const viewed =
        view && !found.some(({ _id }) => _id === view.projectId) && (await projects.get({ _id: view.projectId }))
      const owner = viewed && (await accounts.get({ _id: viewed.accountId }))
      if (owner)
        found.push({
          ...{ _id: viewed._id, name: viewed.name, accountId: owner._id, accountName: owner.name },
          ...{ role: 'analyst', permissions: [...readOnlyViewPermissions], viewUntil: view.until },
        })
      return found
    },

    membersIn: async (accountId: string, projectId: string): Promise<readonly Member[]> =>
      ((await teams.get({ _id: accountId }))?.members ?? []).filter(
        (one) => one.projectId === undefined || one.projectId === projectId,
      ),

    /** @throws Refusal `forbidden` */
    assertMayGrant: async (
      accountId: string,
      by: GrantedBy,
      projectId: string | undefined,
      role: Role,
    ): Promise<void> => {
      const none: Team = { _id: accountId, personIds: [], members: [], ...stamps(clock().toISOString()) }
      assertCovers((await teams.get({ _id: accountId })) ?? none, by, projectId, role)
    },

    /** Replaces the person's role there. @throws Refusal `forbidden`, `blocked` for the last owner or a full team */
    grant: async ({ accountId, projectId, role }: RoleMembership, personId: string, by: GrantedBy): Promise<void> => {
      if (role === 'owner' && projectId !== undefined)
        throw blocked('An owner owns the whole account, not one project.')
      await change(accountId, (team, now) => {
        const before = team.members.filter((one) => isSame(one, personId, projectId))
        assertCovers(team, by, projectId, role, ...before.map((one) => one.role))
        assertRoom(team.members)
        const member: Member = { personId, role, ...(projectId !== undefined && { projectId }), since: now }
        return withMembers(team, [...team.members.filter((one) => !before.includes(one)), member], now)
      })
    },

    /** @throws Refusal `forbidden`, `not-found`, `blocked` for the last owner */
    revoke: async (
      accountId: string,
      projectId: string | undefined,
      personId: string,
      by: GrantedBy,
    ): Promise<Role> => {
      let role: Role = 'analyst'
      await change(accountId, (team, now) => {
        const before = team.members.find((one) => isSame(one, personId, projectId))
        if (!before) throw notFound('Person')
        // Everybody may leave.
        if (by !== personId) assertCovers(team, by, projectId, before.role)
        role = before.role
        return withMembers(
          team,
          team.members.filter((one) => one !== before),
          now,
        )
      })
      return role
    },

    /**
     * The account-wide roles that the identity provider gives now, instead of those it gave before; in the accounts that it names they
     * also replace a role given here. Roles in single projects stay. An account whose last owner would lose that role stays as it is.
     * @throws Refusal `blocked` for the last owner of an account or a full team, after all other accounts have changed
     */
    assign: async (
      personId: string,
      given: ReadonlyMap<string, Role>,
      onChange: (change: RoleChange) => void,
    ): Promise<void> => {
      const refusals: unknown[] = []
      for (const accountId of new Set([...(await accountsOf(personId)), ...given.keys()])) {
        const role = given.get(accountId)
        let before: Member | undefined
        let isChanged = false
        const assigned = change(accountId, (team, now) => {
          before = team.members.find((one) => isSame(one, personId, undefined))
          isChanged = role === undefined ? before?.byProvider === true : !before?.byProvider || before.role !== role
          if (!isChanged) return team
          const others = team.members.filter((one) => one !== before)
          if (role === undefined) return withMembers(team, others, now)
          assertRoom(others)
          return withMembers(team, [...others, { personId, role, byProvider: true, since: now }], now)
        })
        await assigned.then(
          () => isChanged && onChange({ accountId, before: before?.role, after: role }),
          (error: unknown) => refusals.push(error),
        )
      }
      if (refusals.length > 0) throw refusals[0]
    },

    /** Roles of the identity provider become roles given here. */
    keepAll: async (personId: string): Promise<void> => {
      for (const accountId of await accountsOf(personId))
        await change(accountId, (team, now) =>
          withMembers(
            team,
            team.members.map((one) => (one.personId === personId ? without(one, 'byProvider') : one)),
            now,
          ),
        )
    },

    /** From all teams. @throws Refusal `blocked` for the last owner of an account */
    revokeAll: async (personId: string): Promise<void> => {
      for (const accountId of await accountsOf(personId))
        await change(accountId, (team, now) =>
          withMembers(
            team,
            team.members.filter((one) => one.personId !== personId),
            now,
          ),
        )
    },

    unowned: async (): Promise<readonly string[]> => {
      const ids = (await collected(accounts.each({}))).map(({ _id }) => _id)
      const found = await Promise.all(ids.map(async (_id) => ({ _id, team: await teams.get({ _id }) })))
      return found.filter(({ team }) => !hasOwner(team?.members ?? [])).map(({ _id }) => _id)
    },
  }
}
export type TeamUseCases = ReturnType<typeof teamUseCases>
