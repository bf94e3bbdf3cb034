import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** In constant time. */
export const isSame = (given: string, right: string): boolean => timingSafeEqual(digest(given), digest(right))

/** Basic authentication with any user name, or a bearer token (RFC 7617, RFC 6750). */
const credentialIn = (authorization: string): string | undefined => {
  const space = authorization.indexOf(' ')
  const [scheme, value] = [authorization.slice(0, space).toLowerCase(), authorization.slice(space + 1).trim()]
  if (scheme === 'bearer') return value
  if (scheme !== 'basic') return undefined
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : text.slice(colon + 1)
}

export const bringsSecret = (authorization: unknown, secret: string): boolean => {
  const given = typeof authorization === 'string' ? credentialIn(authorization) : undefined
  return given !== undefined && isSame(given, secret)
}
