import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, request } from 'undici'

export type GuardedFetchOptions = {
  /** Also to addresses of this machine and its network: for tests and closed installations. */
  readonly allowPrivate?: boolean
  readonly timeoutMs?: number
  readonly maxBytes?: number
  /** How a host name becomes addresses; the system's way unless given. */
  readonly lookup?: (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>
}

/** Whether an address is of the public internet: not of this machine, its network, or a range with a meaning of its own. */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast'
}

const refuse = (host: string) => new Error(`${host} is not on the public internet`)

/**
 * Fetches a URL that a stranger may have chosen: http and https only, no redirects, never to a private address (the literal, the
 * resolved and the connected address are checked), within a time and a size, decompressed bytes counted.
 * @throws Error with the reason
 */
export const guardedFetch = async (
  url: string,
  options: GuardedFetchOptions = {},
): Promise<{ readonly body: string; readonly contentType: string }> => {
  const { allowPrivate = false, timeoutMs = 10_000, maxBytes = 5 * 1024 * 1024 } = options
  const target = new URL(url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') throw new Error(`${target.protocol} is not fetched`)
  const host = target.hostname.replace(/^\[|\]$/g, '')
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw refuse(host)

  const resolve = options.lookup ?? ((name: string) => systemLookup(name, { all: true, verbatim: true }))
  const lookup: LookupFunction = (name, asked, answer) => {
    resolve(name).then(
      (found) => {
        const usable = found.filter(({ address }) => allowPrivate || isPublicAddress(address))
        const [first] = usable
        if (!first) answer(refuse(name), '', 4)
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
  const agent = new Agent({ connect: { lookup, timeout: timeoutMs }, maxRedirections: 0 } as Agent.Options)
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await request(target, {
      dispatcher: agent,
      signal,
      headers: { 'user-agent': 'Posthorn', 'accept-encoding': 'identity' },
    })
    if (response.statusCode < 200 || response.statusCode > 299)
      throw new Error(`${host} answered ${response.statusCode}`)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new Error(`${host} sent more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return { body: Buffer.concat(chunks).toString('utf8'), contentType: String(response.headers['content-type'] ?? '') }
  } catch (error) {
    if (signal.aborted) throw new Error(`${host} did not answer within ${timeoutMs / 1000} seconds`)
    throw error
  } finally {
    await agent.destroy()
  }
}
