import { z } from 'zod'
import { jsonOfBase64url } from '../kernel/base64url.js'
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
const times = { exp: z.number().optional(), nbf: z.number().optional() }

const Claims = z.discriminatedUnion('role', [
  z.object({ role: z.literal('admin'), sub: z.string().min(1), ...times }),
  z.object({ role: z.literal('account-owner'), sub: z.string().min(1), accountId: z.string().min(1), ...times }),
])
/** Who an operator's token says that its holder is: an admin of the server, or the owner of an account (gaps.md, section 2). */
export type OperatorClaims = z.output<typeof Claims>

/**
 * The claims of a JWT (RFC 7519) that was signed with the server's secret by HS256 (RFC 7515, RFC 7518 section 3.2) and that is
 * good now; undefined for every other text. One without `exp` was meant to be good until the secret is replaced.
 */
export const readOperatorToken = (
  secrets: Pick<Secrets, 'verifiesHs256'>,
  token: string,
  now: Date,
): OperatorClaims | undefined => {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || !Header.safeParse(jsonOfBase64url(header)).success) return undefined
  if (!secrets.verifiesHs256(`${header}.${payload}`, signature)) return undefined
  const { data: claims } = Claims.safeParse(jsonOfBase64url(payload))
  const seconds = now.getTime() / 1000
  const isGood = claims && seconds < (claims.exp ?? Number.POSITIVE_INFINITY) && seconds >= (claims.nbf ?? 0)
  return isGood ? claims : undefined
}
