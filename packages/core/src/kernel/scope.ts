import { addressKey } from './email-address.js'
import { forbidden } from './refusal.js'

/**
 * What an API key permits. `full`: everything; `send`: sending; `read`: reading, without changing anything; `webhook`: reading the
 * configuration and log of the webhook, and being its signing secret.
 */
export const keyScopes = ['full', 'send', 'read', 'webhook'] as const
/** One of `keyScopes`. */
export type KeyScope = (typeof keyScopes)[number]

/** Whose data a use case may touch, as `access` determines from a key, an Origin or a token. */
export type Scope = {
  readonly projectId: string
  /** How the caller authenticated: a browser on a whitelisted Origin may do less than a holder of the API key. */
  readonly caller: 'api-key' | 'origin' | 'operator' | 'preferences'
  /** The API key of the caller; absent if the embedding program calls, which may do everything. */
  readonly apiKey?: { readonly _id: string; readonly scope: KeyScope }
  /** For a request with an `Idempotency-Key`: the id of the record to create, the same for every repetition. */
  readonly requestId?: string
  /** For an Origin: subscribing does not change existing contacts (`browserAccess` is `subscribe-only`). */
  readonly keepsContacts?: boolean
  /** For a preferences token: the key of the one address whose memberships it opens. */
  readonly address?: string
  /** Whether the token was mailed to that address, which proves that its holder receives mail there. */
  readonly isProven?: boolean
  /** The dispatch of the mail that contained the token. */
  readonly dispatchId?: string | undefined
}

/** @throws Refusal `forbidden` for a holder of a preferences token, for every other address */
export const assertOwn = ({ address }: Scope, email: string): void => {
  if (address !== undefined && addressKey(email) !== address) throw forbidden()
}
