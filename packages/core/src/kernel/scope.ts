import { addressKey } from './email-address.js'
import { forbidden } from './refusal.js'

/** `webhook`: reading the webhooks and their logs; the key is also its signing secret. */
export const keyScopes = ['full', 'send', 'read', 'webhook'] as const
/** One of `keyScopes`. */
export type KeyScope = (typeof keyScopes)[number]

/** What a person may do in a project. A role is a set of these. */
export const permissions = [
  'project.read',
  'figures.read',
  'addresses.read',
  'addresses.export',
  'content.edit',
  'contacts.edit',
  'suppressions.edit',
  'emails.test',
  'emails.send',
  'settings.edit',
  'people.edit',
  'audit.read',
  'owners.edit',
] as const
/** One of `permissions`. `project.read` shows everything that contains no recipients' addresses. */
export type Permission = (typeof permissions)[number]

/** Whose data a use case may touch, as `access` determines. */
export type Scope = {
  readonly projectId: string
  /** A browser on a whitelisted Origin may do less than a holder of the API key. */
  readonly caller: 'api-key' | 'origin' | 'operator' | 'preferences' | 'person'
  /** Absent for the embedding program, which may do everything. */
  readonly apiKey?: { readonly _id: string; readonly scope: KeyScope }
  /** Who is signed in; only for the caller `person`. */
  readonly person?: { readonly _id: string; readonly name: string; readonly permissions: readonly Permission[] }
  /** With an `Idempotency-Key`: the id of the record to create, the same for every repetition. */
  readonly requestId?: string
  /** Subscribing does not change existing contacts (`browserAccess` is `subscribe-only`). */
  readonly keepsContacts?: boolean
  /** For a preferences token: the key of its address. */
  readonly address?: string
  /** The token was mailed to that address, so its holder receives mail there. */
  readonly isProven?: boolean
  readonly dispatchId?: string | undefined
}

/** @throws Refusal `forbidden` if the holder of a preferences token names another address */
export const assertOwnAddress = ({ address }: Scope, email: string): void => {
  if (address !== undefined && addressKey(email) !== address) throw forbidden()
}

/** Keys have scopes instead. @throws Refusal `forbidden` if the scope is of a person without the permission */
export const assertMay = ({ caller, person }: Scope, permission: Permission): void => {
  if (caller === 'person' && !person?.permissions.includes(permission))
    throw forbidden(`Your role does not include the permission ${permission}.`)
}
