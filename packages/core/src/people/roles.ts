import { type Permission, permissions } from '../kernel/scope.js'

const figures = ['project.read', 'figures.read'] as const
const writing = [...figures, 'addresses.read', 'content.edit', 'contacts.edit', 'emails.test'] as const

/** The permissions of each role. `owner` is given for a whole account only; `operator` is no role but a mark of a person. */
export const rolePermissions = {
  owner: permissions,
  manager: permissions.filter((one) => one !== 'owners.edit'),
  sender: [...writing, 'emails.send'],
  writer: writing,
  support: [...figures, 'addresses.read', 'suppressions.edit'],
  analyst: figures,
} as const satisfies Readonly<Record<string, readonly Permission[]>>
export type Role = keyof typeof rolePermissions

/** From the most to the least powerful. */
export const roles = ['owner', 'manager', 'sender', 'writer', 'support', 'analyst'] as const satisfies readonly Role[]

/** Whether somebody with the permissions may grant the role, or take it from somebody: nobody passes on what they lack. */
export const mayGrant = (held: readonly Permission[], role: Role): boolean =>
  rolePermissions[role].every((one) => held.includes(one))

/** What several roles permit together. */
export const permissionsOf = (held: readonly Role[]): readonly Permission[] =>
  permissions.filter((one) => held.some((role) => (rolePermissions[role] as readonly Permission[]).includes(one)))
