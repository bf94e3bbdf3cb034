import { z } from 'zod'
import type { Secrets } from '../kernel/ports.js'
import { forbidden } from '../kernel/refusal.js'

/**
 * What a link in a mail lets its holder do, and nothing else. Keys are short because they travel in every mail:
 * `l` subscriber lists, `c` contact, `p` project, `d` the dispatch whose mail has the link, `x` expiry in epoch seconds.
 */
const Payload = z.discriminatedUnion('purpose', [
  z.object({ purpose: z.literal('unsubscribe'), l: z.string(), c: z.string(), d: z.string().optional() }),
  z.object({ purpose: z.literal('preferences'), p: z.string(), c: z.string(), d: z.string().optional() }),
  z.object({ purpose: z.literal('verify'), p: z.string(), c: z.string(), l: z.array(z.string()), x: z.number() }),
])
export type TokenPayload = z.output<typeof Payload>
export type TokenPurpose = TokenPayload['purpose']
type Of<P extends TokenPurpose> = Extract<TokenPayload, { purpose: P }>

const toBase64url = (text: string) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
const fromBase64url = (text: string) => atob(text.replaceAll('-', '+').replaceAll('_', '/'))

/** `base64url(payload).base64url(HMAC-SHA256)` (gaps.md, "Signed tokens"). Payloads are ASCII: ids and numbers. */
export const issueToken = (secrets: Pick<Secrets, 'sign'>, payload: TokenPayload): string => {
  const body = toBase64url(JSON.stringify(payload))
  return `${body}.${secrets.sign(body)}`
}

const decoded = (body: string): unknown => {
  try {
    return JSON.parse(fromBase64url(body))
  } catch {
    return undefined
  }
}

/**
 * The payload of a genuine token of that purpose that has not expired.
 * @throws Refusal `forbidden`, the same for every other token
 */
export const readToken = <P extends TokenPurpose>(
  secrets: Pick<Secrets, 'verifies'>,
  purpose: P,
  token: unknown,
  now: Date,
): Of<P> => {
  const [body, signature, ...rest] = typeof token === 'string' ? token.split('.') : []
  if (body && signature && rest.length === 0 && secrets.verifies(body, signature)) {
    const { data } = Payload.safeParse(decoded(body))
    if (data?.purpose === purpose && !('x' in data && data.x * 1000 <= now.getTime())) return data as Of<P>
  }
  throw forbidden('The link is not valid, or no longer.')
}
