import { addressKey } from './email-address.js'
import { forbidden } from './refusal.js'

/** Whose data a use case may touch, as worked out by `access` from a key, an Origin or a token. */
export type Scope = {
  readonly projectId: string
  /** How the caller came in: a browser on a whitelisted Origin may do less than a holder of the API key. */
  readonly via: 'api-key' | 'origin' | 'operator' | 'preferences'
  /** Of a preferences token: the key of the one address whose memberships it opens. */
  readonly address?: string
  /** And the dispatch whose mail had it. */
  readonly dispatchId?: string | undefined
}

/** @throws Refusal `forbidden` to who holds a preferences token, for every address but their own */
export const assertOwn = ({ address }: Scope, email: string): void => {
  if (address !== undefined && addressKey(email) !== address) throw forbidden()
}
