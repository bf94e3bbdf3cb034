import { z } from 'zod'
import { jsonOfBase64url, textToBase64url } from '../kernel/encoding.js'
import type { Secrets } from '../kernel/ports.js'

/** Rejects critical extensions (`crit`, RFC 7515 section 4.1.11). */
const Header = z.object({
  alg: z.literal('HS256'),
  typ: z
    .string()
    .regex(/^(application\/)?jwt$/i)
    .optional(),
  crit: z.undefined().optional(),
})

/** RFC 7519 section 4.1, in seconds. */
const times = { exp: z.number(), nbf: z.number().optional() }

const Claims = z.discriminatedUnion('role', [
  z.object({ role: z.literal('admin'), sub: z.string().min(1), ...times }),
  z.object({ role: z.literal('account-owner'), sub: z.string().min(1), accountId: z.string().min(1), ...times }),
])
/** An admin of the server, or the owner of an account (gaps.md, section 2). */
type OperatorClaims = z.output<typeof Claims>

type NewOperatorToken = {
  readonly role: OperatorClaims['role']
  readonly accountId?: string | undefined
  readonly iat: number
  readonly exp: number
}

/** HS256 (RFC 7515, RFC 7518 section 3.2) by a key for this purpose only. */
export const signOperatorToken = (secrets: Pick<Secrets, 'sign'>, claims: NewOperatorToken): string => {
  const text = [
    { alg: 'HS256', typ: 'JWT' },
    { sub: 'operator', ...claims },
  ]
    .map((part) => textToBase64url(JSON.stringify(part)))
    .join('.')
  return `${text}.${secrets.sign(text, 'operator-token')}`
}

/** Undefined unless currently valid and signed with the derived key. */
export const verifiedOperatorToken = (
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
