import type { Secrets } from '../kernel/ports.js'
import type { TokenPayload } from './tokens.js'

/** `base64url(payload).base64url(HMAC-SHA256)` (gaps.md, "Signed tokens"). */
export const signedToken = (secrets: Pick<Secrets, 'signed'>, payload: TokenPayload): string =>
  secrets.signed(JSON.stringify(payload))

type Addressed = { readonly _id: string; readonly emailKey: string }

/** 80 bits of a digest of the address. Unkeyed: it survives replacing the server's secret. */
export const addressFingerprint = (secrets: Pick<Secrets, 'digest'>, { _id, emailKey }: Addressed): string =>
  secrets.digest(`${_id} ${emailKey}`).slice(0, 20)

/** The token was mailed to the current address, so its holder reads mail there. */
export const provesAddress = (
  secrets: Pick<Secrets, 'digest'>,
  contact: Addressed,
  { a }: { readonly a: string },
): boolean => a === addressFingerprint(secrets, contact)
