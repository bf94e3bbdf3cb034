import { addressKey } from './email-address.js'
import { forbidden } from './refusal.js'

/**
 * What an API key opens. `full`: everything; `send`: sends; `read`: whatever is shown without changing anything; `webhook`: the
 * webhook whose secret it is.
 */
export const keyScopes = ['full', 'send', 'read', 'webhook'] as const
/** How much an API key opens. */
export type KeyScope = (typeof keyScopes)[number]

/** Whose data a use case may touch, as worked out by `access` from a key, an Origin or a token. */
export type Scope = {
  readonly projectId: string
  /** How the caller came in: a browser on a whitelisted Origin may do less than a holder of the API key. */
  readonly caller: 'api-key' | 'origin' | 'operator' | 'preferences'
  /** The key that the caller came in by; absent where the embedding program calls, which may do everything. */
  readonly apiKey?: { readonly _id: string; readonly scope: KeyScope }
  /** Of a request with an `Idempotency-Key`: the id of what it makes, the same whenever it is carried out again. */
  readonly requestId?: string
  /** Of an Origin: subscribing leaves the contacts that there are as they are (`browserAccess` is `subscribe-only`). */
  readonly keepsContacts?: boolean
  /** Of a preferences token: the key of the one address whose memberships it opens. */
  readonly address?: string
  /** Whether the token's mail went to that address, so that its holder reads what is sent there. */
  readonly isProven?: boolean
  /** And the dispatch whose mail had it. */
  readonly dispatchId?: string | undefined
}

/** @throws Refusal `forbidden` to who holds a preferences token, for every address but their own */
export const assertOwn = ({ address }: Scope, email: string): void => {
  if (address !== undefined && addressKey(email) !== address) throw forbidden()
}
