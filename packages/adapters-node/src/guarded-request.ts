import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, type Dispatcher, request } from 'undici'

export type GuardedRequestOptions = {
  /** Also to addresses of this machine and its network: for tests and closed installations. */
  readonly allowPrivate?: boolean
  readonly timeoutMs?: number
  /** How a host name becomes addresses; the system's way unless given. */
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>
}

/** Whether an address is of the public internet: not of this machine, its network, or a range with a meaning of its own. */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast'
}

/** The host has no address that may be reached. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic'

  constructor(host: string) {
    super(`${host} is not on the public internet`)
  }
}

/** The answer took longer than it may. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow'

  constructor(host: string, timeoutMs: number) {
    super(`${host} did not answer within ${timeoutMs / 1000} seconds`)
  }
}

/** A look-up that answers public addresses only, so that the connected address is one that was checked. */
const guardedLookup =
  ({ allowPrivate, lookup }: GuardedRequestOptions): LookupFunction =>
  (name, asked, answer) => {
    const resolve = lookup ?? ((host: string) => systemLookup(host, { all: true, verbatim: true }))
    resolve(name).then(
      (found) => {
        const usable = found.filter(({ address }) => allowPrivate || isPublicAddress(address))
        const [first] = usable
        if (!first) answer(new NotPublic(name), '', 4)
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

/**
 * Sends one request to a URL that a stranger may have chosen, and reads the answer: http and https only, no redirects, never to a
 * private address (the literal, the resolved and the connected address are checked), all of it within `timeoutMs`, 10 seconds
 * unless given.
 * @throws NotPublic, TooSlow, Error with the reason
 */
export const guardedRequest = async <T>(
  url: string,
  { allowPrivate = false, timeoutMs = 10_000, ...options }: GuardedRequestOptions,
  init: Pick<Dispatcher.RequestOptions, 'method' | 'body'> & { readonly headers: Readonly<Record<string, string>> },
  read: (answer: Dispatcher.ResponseData, host: string) => Promise<T>,
): Promise<T> => {
  const target = new URL(url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') throw new Error(`${target.protocol} is not fetched`)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw new NotPublic(host)

  const agent = new Agent({ connect: { lookup: guardedLookup({ allowPrivate, ...options }), timeout: timeoutMs } })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const headers = { 'user-agent': 'Posthorn', ...init.headers }
    return await read(await request(target, { ...init, dispatcher: agent, signal, headers }), host)
  } catch (error) {
    throw signal.aborted ? new TooSlow(host, timeoutMs) : error
  } finally {
    await agent.destroy()
  }
}
