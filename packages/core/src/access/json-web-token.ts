import { z } from 'zod'
import { jsonOfBase64url, toBase64url } from '../kernel/base64url.js'
import type { Secrets } from '../kernel/ports.js'

/** The one algorithm that is taken; a header that asks to be understood (`crit`, RFC 7515 section 4.1.11) is not. */
const Header = z.object({
  alg: z.literal('HS256'),
  typ: z
    .string()
    .regex(/^(application\/)?jwt$/i)
    .optional(),
  crit: z.undefined().optional(),
})

/** RFC 7519 section 4.1: NumericDate, in seconds. */
const times = { exp: z.number(), nbf: z.number().optional() }

const Claims = z.discriminatedUnion('role', [
  z.object({ role: z.literal('admin'), sub: z.string().min(1), ...times }),
  z.object({ role: z.literal('account-owner'), sub: z.string().min(1), accountId: z.string().min(1), ...times }),
])
/** Who an operator's token says that its holder is: an admin of the server, or the owner of an account (gaps.md, section 2). */
export type OperatorClaims = z.output<typeof Claims>

/** What an operator's token is made of. Times are NumericDates (RFC 7519 section 2): seconds since 1970. */
export type NewOperatorToken = {
  readonly role: OperatorClaims['role']
  /** Of an account-owner. */
  readonly accountId?: string | undefined
  readonly iat: number
  readonly exp: number
}

/** A JWT (RFC 7519) by HS256 (RFC 7515, RFC 7518 section 3.2), with the key that is derived from the newest secret for this purpose alone. */
export const issueOperatorToken = (secrets: Pick<Secrets, 'sign'>, claims: NewOperatorToken): string => {
  const text = [
    { alg: 'HS256', typ: 'JWT' },
    { sub: 'operator', ...claims },
  ]
    .map((part) => toBase64url(JSON.stringify(part)))
    .join('.')
  return `${text}.${secrets.sign(text, 'operator-token')}`
}

/**
 * The claims of a JWT that the server's key for such tokens has signed and that is good now; undefined for every other text: one
 * signed with the secret itself, say, and one without an end.
 */
export const readOperatorToken = (
  secrets: Pick<Secrets, 'verifies'>,
  token: string,
  now: Date,
): OperatorClaims | undefined => {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !Header.safeParse(jsonOfBase64url(header)).success) return undefined
  if (!secrets.verifies(`${header}.${payload}`, signature, 'operator-token')) return undefined
  const { data: claims } = Claims.safeParse(jsonOfBase64url(payload))
  const seconds = now.getTime() / 1000
  const isGood = claims && seconds < claims.exp && seconds >= (claims.nbf ?? 0)
  return isGood ? claims : undefined
}
