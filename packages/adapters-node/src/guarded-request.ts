import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Dispatcher } from 'undici'
import { type HostLookup, hostLookup, localHostLookup } from './host-lookup.js'
import { Unreachable, unreachable } from './unreachable.js'

export type GuardedRequestOptions = {
  /** Also to addresses of this machine and its network: for tests and closed installations. */
  readonly allowPrivate?: boolean
  readonly timeoutMs?: number
  /** How a host name becomes addresses; by DNS unless given, and where private addresses are allowed also by the hosts file. */
  readonly lookup?: HostLookup
}

/** All that has been given out of IPv6 for the public internet (RFC 4291 section 2.4): IPv4 addresses in others' clothes lie elsewhere. */
const globalUnicast = ipaddr.IPv6.parse('2000::')

/**
 * Whether an address is of the public internet: not of this machine, its network, or a range with a meaning of its own. Of IPv6, no
 * address counts that another one is embedded in (IPv4-compatible and -mapped, NAT64, 6to4, Teredo), wherever that one leads.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalUnicast, 3)
}

const notPublic = 'it is not on the public internet'

const publicHosts = hostLookup()
const allHosts = localHostLookup(publicHosts)

/** A look-up that answers public addresses only, so that the connected address is one that was checked. */
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
  const host = target.hostname.replace(/^\[|\]$/g, '')
  // RFC 6761 section 6.3: these names are this machine, whatever DNS says.
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  if (!allowPrivate && (isLocal || (isIP(host) !== 0 && !isPublicAddress(host)))) throw new Unreachable(notPublic)
  return target
}

/**
 * Sends one request to a URL that a stranger may have chosen, and reads the answer: http and https only, no redirects, never to a
 * private address (the literal, the resolved and the connected address are checked), all of it within `timeoutMs`, 10 seconds
 * unless given.
 * @throws Unreachable with the reason, whatever went wrong
 */
export const guardedRequest = async <T>(
  url: string,
  { allowPrivate = false, timeoutMs = 10_000, ...options }: GuardedRequestOptions,
  init: Pick<Dispatcher.RequestOptions, 'method' | 'body'> & { readonly headers: Readonly<Record<string, string>> },
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> => {
  const { Agent, request } = await import('undici')
  const agent = new Agent({ connect: { lookup: guardedLookup({ allowPrivate, ...options }), timeout: timeoutMs } })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const target = targetOf(url, allowPrivate)
    const headers = { 'user-agent': 'Posthorn', ...init.headers }
    return await read(await request(target, { ...init, dispatcher: agent, signal, headers }))
  } catch (error) {
    throw signal.aborted ? new Unreachable('it took too long to answer') : unreachable(error)
  } finally {
    await agent.destroy()
  }
}
