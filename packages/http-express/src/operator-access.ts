import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { busy, forbidden, notFound, rateLimiter } from '@posthorn/core/ports/runtime'
import { unmappedIpAddress } from '@posthorn/core/ports/transport'
import type { Request, RequestHandler } from 'express'
import { bearerOf, clientBlock } from './admission/owner.js'

const shape = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s[\]]+))(?::\d{1,5})?$/

/** RFC 9110 section 7.2; undefined if malformed. */
export const hostWithoutPort = (host: string | undefined): string | undefined => {
  const [, ipv6, name] = shape.exec((host ?? '').toLowerCase()) ?? []
  return ipv6 ?? name?.replace(/\.$/, '')
}

export const isLoopback = (name: string): boolean => {
  const plain = unmappedIpAddress(name)
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

/** Its own address, loopback or one of `names`. Stops DNS rebinding. */
const namesThisServer = (
  { headers, socket }: Pick<Request, 'headers' | 'socket'>,
  names: ReadonlySet<string>,
): boolean => {
  const name = hostWithoutPort(headers.host)
  const at = unmappedIpAddress(socket.localAddress ?? '')
  return name !== undefined && (names.has(name) || name === at || (isLoopback(name) && isLoopback(at)))
}

export type OperatorPageAccess = {
  /** Only this machine reaches the listener: no credential needed. */
  readonly loopback: boolean
  /** Besides loopback. */
  readonly hosts: readonly string[]
  /** Basic authentication with any user name (RFC 7617). */
  readonly password?: string | undefined
  /** An admin's bearer token. */
  readonly isAdmin: (bearer: string) => boolean
}

const namesOf = ({ hosts }: Pick<OperatorPageAccess, 'hosts'>): ReadonlySet<string> =>
  new Set(hosts.map((host) => hostWithoutPort(host)).filter((name) => name !== undefined))

const digest = (text: string) => createHash('sha256').update(text).digest()

const passwordOf = ({ headers }: Request): string | undefined => {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '')?.[1]
  const pair = encoded && Buffer.from(encoded, 'base64').toString('utf8')
  return pair?.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined
}

const leftByProxies = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/

/** Local proxies add forwarding headers. */
const isLocal = ({ headers, socket }: Request): boolean =>
  isLoopback(socket.remoteAddress ?? '') && !Object.keys(headers).some((name) => leftByProxies.test(name))

/** Local callers of a loopback listener, or everybody if a password protects the pages. */
export const maySeeOperatorPages = (access: OperatorPageAccess): ((request: Request) => boolean) => {
  const names = namesOf(access)
  return (request) =>
    namesThisServer(request, names) && ((access.loopback && isLocal(request)) || access.password !== undefined)
}

/** Per address block: ten at once, then one in 10 s. */
const failureRate = { perSecond: 0.1, burst: 10 }

/** Accepts local requests, the password or an admin's token. Without a password, others see an unknown path. Refuses foreign Host names. */
export const operatorOnly = (
  { loopback, hosts, password, isAdmin }: OperatorPageAccess,
  now: () => number = Date.now,
): RequestHandler => {
  const names = namesOf({ hosts })
  const failures = rateLimiter(failureRate, now)
  const expected = password === undefined ? undefined : digest(password)

  const isOperator = (request: Request): boolean => {
    const bearer = bearerOf(request)
    if (bearer !== undefined) return isAdmin(bearer)
    const given = passwordOf(request)
    return given !== undefined && expected !== undefined && timingSafeEqual(digest(given), expected)
  }

  return (request, response, next) => {
    if (!namesThisServer(request, names))
      throw forbidden('This host name is not one of the server. Add it to POSTHORN_ALLOWED_HOSTS if it should be.')
    if (loopback && isLocal(request)) return next()
    if (request.headers.authorization !== undefined) {
      const client = clientBlock(request)
      const { allowed, retrySeconds } = failures.take(client)
      if (!allowed) {
        response.set('Retry-After', String(retrySeconds))
        throw busy(`Too many wrong credentials. Retry in ${retrySeconds} s.`)
      }
      if (isOperator(request)) {
        failures.charge(client, -1)
        return next()
      }
    }
    if (expected === undefined) throw notFound('Path')
    response.set('WWW-Authenticate', 'Basic realm="Posthorn", charset="UTF-8"')
    response
      .status(401)
      .type('text')
      .send('Only for the operator. Sign in with any user name and POSTHORN_OPERATOR_PASSWORD as the password.\n')
  }
}
