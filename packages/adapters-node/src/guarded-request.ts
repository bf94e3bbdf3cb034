import { once } from 'node:events'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { dnsThenSystemLookup, type HostLookup, hostLookup } from './dns-lookup.js'

/** For the user who gave the URL. Hides the original text, which may name internal addresses. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

const notTrusted = 'its certificate is not trusted'
const broken = 'it broke the connection'

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  ENODATA: 'its name has no address',
  EBADNAME: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ESERVFAIL: 'its name could not be looked up',
  EREFUSED: 'its name could not be looked up',
  EBADRESP: 'its name could not be looked up',
  ETIMEOUT: 'its name could not be looked up',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: broken,
  EPIPE: broken,
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  ETIMEDOUT: 'it took too long to answer',
  ERR_INVALID_URL: 'its address cannot be read',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: notTrusted,
  SELF_SIGNED_CERT_IN_CHAIN: notTrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notTrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

export const unreachableError = (error: unknown): Unreachable => {
  if (error instanceof Unreachable) return error
  const { code } = error as { readonly code?: unknown }
  return new Unreachable(reasons[String(code)] ?? 'the connection failed')
}

export type GuardedRequestOptions = {
  readonly allowPrivate?: boolean
  readonly timeoutMs?: number
  /** Default: DNS, and the hosts file if private addresses are allowed. */
  readonly lookup?: HostLookup
}

/** RFC 4291 section 2.4: public IPv6 space; most addresses that embed IPv4 ones lie outside. */
const globalUnicast = ipaddr.IPv6.parse('2000::')

/** IPv6 addresses that embed another (IPv4-compatible and -mapped, NAT64, 6to4, Teredo) are never public. */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalUnicast, 3)
}

const notPublic = 'it is not on the public internet'

const publicHosts = hostLookup()
const allHosts = dnsThenSystemLookup(publicHosts)

/** Only public addresses: the checked address is the connected one. */
const guardedLookup =
  ({ allowPrivate, lookup }: GuardedRequestOptions): LookupFunction =>
  (name, asked, answer) => {
    const resolve = lookup ?? (allowPrivate ? allHosts : publicHosts)
    resolve(name).then(
      (found) => {
        const usable = found.filter(({ address }) => allowPrivate || isPublicAddress(address))
        const [first] = usable
        if (!first) answer(new Unreachable(notPublic), '', 4)
        else if (asked.all)
          answer(
            null,
            usable.map(({ address, family }) => ({ address, family })),
          )
        else answer(null, first.address, first.family)
      },
      (error) => answer(error, '', 4),
    )
  }

const targetOf = (url: string, allowPrivate: boolean): URL => {
  const target = new URL(url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new Unreachable('only http and https are fetched')
  const host = target.hostname.replace(/^\[|[\].]$/g, '')
  // RFC 6761 section 6.3: this machine.
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  if (!allowPrivate && (isLocal || (isIP(host) !== 0 && !isPublicAddress(host)))) throw new Unreachable(notPublic)
  return target
}

/** Whether `guardedRequest` would refuse the URL as it stands. */
export const isRefusedUrl = (url: string, { allowPrivate = false }: GuardedRequestOptions): boolean => {
  try {
    targetOf(url, allowPrivate)
    return false
  } catch {
    return true
  }
}

export type GuardedRequest = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * For untrusted URLs: http and https, no redirects, no credentials from the URL, no private address (literal, resolved or connected),
 * within `timeoutMs` (default: 10 s).
 * @throws Unreachable for every failure
 */
export const guardedRequest = async <T>(
  url: string,
  { allowPrivate = false, timeoutMs = 10_000, ...options }: GuardedRequestOptions,
  { method, headers, body }: GuardedRequest,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> => {
  const signal = AbortSignal.timeout(timeoutMs)
  let request: ClientRequest | undefined
  try {
    const target = targetOf(url, allowPrivate)
    const { request: open } = target.protocol === 'https:' ? https : http
    request = open(target, {
      method,
      headers: { 'user-agent': 'Posthorn', ...headers },
      agent: false,
      auth: null,
      lookup: guardedLookup({ allowPrivate, ...options }),
      signal,
    })
    // Nothing else handles errors after the response, such as a reset.
    request.on('error', () => undefined)
    const response = once(request, 'response')
    request.end(body)
    const [answer] = (await response) as [IncomingMessage]
    return await read(answer)
  } catch (error) {
    throw signal.aborted ? new Unreachable('it took too long to answer') : unreachableError(error)
  } finally {
    request?.destroy()
  }
}

export type GuardedFetchOptions = GuardedRequestOptions & { readonly maxBytes?: number }

/**
 * At most `maxBytes`, by default 5 MB.
 * @throws Unreachable, also for a status other than 2xx
 */
export const guardedFetch = (
  url: string,
  { maxBytes = 5 * 1024 * 1024, ...options }: GuardedFetchOptions = {},
  init: GuardedRequest = { method: 'GET', headers: {} },
): Promise<{ readonly body: string; readonly bytes: Uint8Array; readonly contentType: string }> =>
  guardedRequest(
    url,
    options,
    { ...init, headers: { 'accept-encoding': 'identity', ...init.headers } },
    async (response) => {
      const { statusCode = 0, headers } = response
      if (statusCode < 200 || statusCode > 299) throw new Unreachable(`it answered ${statusCode}`)
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxBytes) throw new Unreachable(`it sent more than ${maxBytes} bytes`)
        chunks.push(chunk)
      }
      const bytes = Buffer.concat(chunks)
      return { body: bytes.toString('utf8'), bytes, contentType: String(headers['content-type'] ?? '') }
    },
  )
