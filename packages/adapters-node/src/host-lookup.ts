import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { keyedLimiter } from '@posthorn/core/ports/runtime'

export type HostAddress = { readonly address: string; readonly family: number }
export type HostLookup = (host: string) => Promise<readonly HostAddress[]>

export type HostLookupOptions = {
  /** With or without a port. The system's by default. */
  readonly servers?: readonly string[] | undefined
  /** Of one try with one server. */
  readonly timeoutMilliseconds?: number
}

/** Of one family. */
const mostAddresses = 16
/** System look-ups that wait for the running one. */
const mostWaiting = 20

/**
 * Resolves by DNS without blocking a thread: a system look-up holds one of the four threads of Node's pool while a name
 * server is silent; four block file access and all other look-ups.
 */
export const hostLookup = ({ servers, timeoutMilliseconds = 2_000 }: HostLookupOptions = {}): HostLookup => {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled'
        ? answer.value.slice(0, mostAddresses).map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    )
    if (found.length > 0) return found
    const [failed] = answers
    throw failed.status === 'rejected' ? failed.reason : Object.assign(new Error('No address'), { code: 'ENODATA' })
  }
}

const bySystem = keyedLimiter({ atOnce: 1, waiting: mostWaiting })

/**
 * DNS first, then the system, for the hosts file and the local network: one system look-up at a time, so that it holds
 * one thread at most.
 */
export const localHostLookup =
  (dns: HostLookup): HostLookup =>
  async (host) => {
    const found = await dns(host).catch(() => [])
    if (found.length > 0) return found
    const answer = await bySystem('', () => systemLookup(host, { all: true, verbatim: true }))
    if (!answer) throw Object.assign(new Error('Too many names are being looked up'), { code: 'EAI_AGAIN' })
    return answer.value
  }
