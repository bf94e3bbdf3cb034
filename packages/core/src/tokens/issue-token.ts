import type { Secrets } from '../kernel/ports.js'
import type { TokenPayload } from './tokens.js'

/** `base64url(payload).base64url(HMAC-SHA256)` (gaps.md, "Signed tokens"). */
export const issueToken = (secrets: Pick<Secrets, 'signed'>, payload: TokenPayload): string =>
  secrets.signed(JSON.stringify(payload))
