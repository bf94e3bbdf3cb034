import { type Permission, permissions } from '../kernel/scope.js'

const figures = ['project.read', 'figures.read'] as const
const writing = [...figures, 'addresses.read', 'content.edit', 'contacts.edit', 'emails.test'] as const

/** `owner` is given for a whole account only; `operator` is no role but a mark of a person. */
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

/** Also for taking a role from somebody: nobody passes on what they lack. */
export const mayGrant = (held: readonly Permission[], role: Role): boolean =>
  rolePermissions[role].every((one) => held.includes(one))

export const permissionsOf = (held: readonly Role[]): readonly Permission[] =>
  permissions.filter((one) => held.some((role) => (rolePermissions[role] as readonly Permission[]).includes(one)))

/** What a value of the claim gives. Without an account: in the first one, which the first start made. */
export type ProviderRoleMapping = { readonly value: string; readonly accountId?: string | undefined } & {
  readonly role: Role | 'operator'
}

/** Sign-in by an identity provider. */
export type IdentityProviderSettings = {
  /** As people read it on the sign-in page. */
  readonly name: string
  /** The claim that decides the roles; a dot leads into an object, if no claim has the whole name. */
  readonly claim: string
  readonly roles: readonly ProviderRoleMapping[]
  readonly passwords: boolean
}

type Claims = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const at = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name]
  const dot = name.indexOf('.')
  const inner = dot > 0 && Object.hasOwn(claims, name.slice(0, dot)) ? claims[name.slice(0, dot)] : undefined
  return isRecord(inner) ? at(inner, name.slice(dot + 1)) : undefined
}

/** Texts only: a text, or each text of a list. */
export const providerClaimValues = (claims: Claims, name: string): readonly string[] =>
  [at(claims, name)].flat().filter((value): value is string => typeof value === 'string')

/** The account-wide roles by account. */
export type ProviderGivenRoles = { readonly isOperator: boolean; readonly byAccount: ReadonlyMap<string, Role> }

/** The most powerful role of each account. Undefined if nothing is given. */
export const providerGivenRoles = (
  given: readonly ProviderRoleMapping[],
  firstAccount: string | undefined,
): ProviderGivenRoles | undefined => {
  const byAccount = new Map<string, Role>()
  for (const role of [...roles].reverse())
    for (const { role: one, accountId = firstAccount } of given)
      if (one === role && accountId !== undefined) byAccount.set(accountId, role)
  const isOperator = given.some(({ role }) => role === 'operator')
  return isOperator || byAccount.size > 0 ? { isOperator, byAccount } : undefined
}
