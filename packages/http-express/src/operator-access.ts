import { createHash, timingSafeEqual } from 'node:crypto'
import { busy, forbidden, notFound, rateLimiter } from '@posthorn/core/ports'
import type { Request, RequestHandler } from 'express'
import { bearerOf, clientBlock } from './admission/owner.js'
import { isLoopback, nameInHost, namesThisServer } from './allowed-hosts.js'

/** How the operator comes to what no tenant may see: all mail of the outbox, and the metrics. */
export type OperatorAccess = {
  /** Whether only this machine reaches the listener: then no credential is asked for. */
  readonly loopback: boolean
  /** Names that the server is called by, beside this machine's: those of its public URL and of proxies. */
  readonly hosts: readonly string[]
  /** Basic authentication's, with any user name (RFC 7617). */
  readonly password?: string | undefined
  /** Whether a bearer is the token of an admin. */
  readonly isAdmin: (bearer: string) => boolean
}

const namesOf = ({ hosts }: Pick<OperatorAccess, 'hosts'>): ReadonlySet<string> =>
  new Set(hosts.map((host) => nameInHost(host)).filter((name) => name !== undefined))

const digest = (text: string) => createHash('sha256').update(text).digest()

const passwordOf = ({ headers }: Request): string | undefined => {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '')?.[1]
  const pair = encoded && Buffer.from(encoded, 'base64').toString('utf8')
  return pair?.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined
}

const leftByProxies = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/

/** Whether the request began on this machine: strangers, too, come in by loopback where a proxy stands there. */
const isLocal = ({ headers, socket }: Request): boolean =>
  isLoopback(socket.remoteAddress ?? '') && !Object.keys(headers).some((name) => leftByProxies.test(name))

/**
 * Whether who asks may know what is the operator's alone: on this machine, or where a password is asked for. Everybody else is told of
 * none of it, and so is whoever calls the server by a name that is not its own.
 */
export const maySeeOperatorPages = (access: OperatorAccess): ((request: Request) => boolean) => {
  const names = namesOf(access)
  return (request) =>
    namesThisServer(request, names) && ((access.loopback && isLocal(request)) || access.password !== undefined)
}

/** Wrong credentials from one address: ten at once, then one in ten seconds. */
const failureRate = { perSecond: 0.1, burst: 10 }

/**
 * Lets only the operator pass: on a loopback listener every request that began on this machine, elsewhere those with the password
 * or an admin's token. Where there is no password, who has no such token is told that there is nothing. Whoever calls the server
 * by a name that is not its own is refused whatever they bring.
 */
export const operatorOnly = (
  { loopback, hosts, password, isAdmin }: OperatorAccess,
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
      throw forbidden('This server is not called that. POSTHORN_ALLOWED_HOSTS names what else it is called.')
    if (loopback && isLocal(request)) return next()
    if (request.headers.authorization !== undefined) {
      const client = clientBlock(request)
      const { allowed, retrySeconds } = failures.take(client)
      if (!allowed) {
        response.set('Retry-After', String(retrySeconds))
        throw busy(`Too many wrong credentials. Please try again in ${retrySeconds} s.`)
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
      .send('This is for the operator: give POSTHORN_OPERATOR_PASSWORD as the password.\n')
  }
}
