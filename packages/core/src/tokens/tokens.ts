import { z } from 'zod'
import { jsonOfBase64url } from '../kernel/base64url.js'
import type { Secrets } from '../kernel/ports.js'
import { forbidden } from '../kernel/refusal.js'

/**
 * What a token lets its holder do, and nothing else. Keys are short because most travel in every mail: `l` subscriber lists,
 * `c` contact, `a` the mark of the address that the mail went to (`addressMark`), `d` the dispatch whose mail has the link, `f` the
 * signup form whose double opt-in it is, `e` the email and `w` what the link would do, of a test; of a report `e` is its campaign; `x` expiry in epoch seconds; of a CAPTCHA `n` its nonce and `k` the keyed digest of its text.
 * Who reads a mail reads its tokens, so none names the project: the contact does (ADR 0013). Older ones named it in `p`, which
 * is passed over, and have no `a`.
 */
const Payload = z.discriminatedUnion('purpose', [
  z.object({ purpose: z.literal('unsubscribe'), l: z.string(), c: z.string(), d: z.string().optional() }),
  z.object({
    purpose: z.literal('preferences'),
    c: z.string(),
    a: z.string().optional(),
    d: z.string().optional(),
  }),
  z.object({
    purpose: z.literal('verify'),
    c: z.string(),
    a: z.string().optional(),
    l: z.array(z.string()),
    f: z.string().optional(),
    x: z.number(),
  }),
  z.object({ purpose: z.literal('test'), e: z.string(), w: z.enum(['unsubscribe', 'preferences', 'verify']) }),
  z.object({ purpose: z.literal('report'), e: z.string(), x: z.number() }),
  z.object({ purpose: z.literal('captcha'), n: z.string(), k: z.string(), x: z.number() }),
])
export type TokenPayload = z.output<typeof Payload>
export type TokenPurpose = TokenPayload['purpose']
type Of<P extends TokenPurpose> = Extract<TokenPayload, { purpose: P }>

/** The payload of a genuine token, whatever its purpose and however old; undefined for every other. */
export const genuineToken = (secrets: Pick<Secrets, 'verifies'>, token: unknown): TokenPayload | undefined => {
  const [body, signature, ...rest] = typeof token === 'string' ? token.split('.') : []
  if (!body || !signature || rest.length > 0 || !secrets.verifies(body, signature)) return undefined
  return Payload.safeParse(jsonOfBase64url(body)).data
}

/** The payload of a genuine token of that purpose that has not expired; undefined for every other. */
export const openToken = <P extends TokenPurpose>(
  secrets: Pick<Secrets, 'verifies'>,
  purpose: P,
  token: unknown,
  now: Date,
): Of<P> | undefined => {
  const data = genuineToken(secrets, token)
  const isGood = data?.purpose === purpose && !('x' in data && data.x * 1000 <= now.getTime())
  return isGood ? (data as Of<P>) : undefined
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
  const payload = openToken(secrets, purpose, token, now)
  if (!payload) throw forbidden('The link is not valid, or no longer.')
  return payload
}
