import { z } from 'zod'
import { jsonOfBase64url } from '../kernel/encoding.js'
import type { Secrets } from '../kernel/ports.js'
import { forbidden } from '../kernel/refusal.js'

/**
 * Keys are short because tokens are in every mail. `l`: subscriber lists; `c`: contact; `a`: `addressFingerprint`; `d`:
 * dispatch; `f`: signup form of a double opt-in; `x`: expiry in epoch seconds; `e`: email of a test, campaign of a
 * report; `w`: action of a test; `n`, `k`: nonce and keyed digest of a CAPTCHA.
 * Readers can decode tokens, so none names the project; the contact does (ADR 0013).
 */
const Payload = z.discriminatedUnion('purpose', [
  z.object({ purpose: z.literal('unsubscribe'), l: z.string(), c: z.string(), d: z.string().optional() }),
  z.object({ purpose: z.literal('preferences'), c: z.string(), a: z.string(), d: z.string().optional() }),
  z.object({
    purpose: z.literal('verify'),
    c: z.string(),
    a: z.string(),
    l: z.array(z.string()),
    f: z.string().optional(),
    x: z.number(),
  }),
  z.object({ purpose: z.literal('test'), e: z.string(), w: z.enum(['unsubscribe', 'preferences', 'verify']) }),
  z.object({ purpose: z.literal('report'), e: z.string(), x: z.number() }),
  z.object({ purpose: z.literal('captcha'), n: z.string(), k: z.string(), x: z.number() }),
])
export type TokenPayload = z.output<typeof Payload>
type TokenPurpose = TokenPayload['purpose']
type Of<P extends TokenPurpose> = Extract<TokenPayload, { purpose: P }>

/** Of any purpose, even if expired; undefined if not genuine. */
export const genuineToken = (secrets: Pick<Secrets, 'verifies'>, token: unknown): TokenPayload | undefined => {
  const [body, signature, ...rest] = typeof token === 'string' ? token.split('.') : []
  if (!body || !signature || rest.length > 0 || !secrets.verifies(body, signature)) return undefined
  return Payload.safeParse(jsonOfBase64url(body)).data
}

/** Undefined unless genuine, unexpired and of that purpose. */
export const validToken = <P extends TokenPurpose>(
  secrets: Pick<Secrets, 'verifies'>,
  purpose: P,
  token: unknown,
  now: Date,
): Of<P> | undefined => {
  const data = genuineToken(secrets, token)
  const isGood = data?.purpose === purpose && !('x' in data && data.x * 1000 <= now.getTime())
  return isGood ? (data as Of<P>) : undefined
}

/** @throws Refusal `forbidden`, unless genuine, unexpired and of that purpose */
export const readToken = <P extends TokenPurpose>(
  secrets: Pick<Secrets, 'verifies'>,
  purpose: P,
  token: unknown,
  now: Date,
): Of<P> => {
  const payload = validToken(secrets, purpose, token, now)
  if (!payload) throw forbidden('The link is invalid or has expired.')
  return payload
}
