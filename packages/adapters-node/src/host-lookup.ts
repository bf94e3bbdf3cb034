import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { keyedLimiter } from '@posthorn/core/ports'

export type HostAddress = { readonly address: string; readonly family: number }
export type HostLookup = (host: string) => Promise<readonly HostAddress[]>

export type HostLookupOptions = {
  /** Addresses of the servers to ask, with or without a port. Absent: the system's. */
  readonly servers?: readonly string[] | undefined
  /** For one try with one server. */
  readonly timeoutMilliseconds?: number
}

/** Addresses of one family that are used of an answer: more are of no use to one connection. */
const mostAddresses = 16
/** Look-ups by the system that wait for the one under way. */
const mostWaiting = 20

/**
 * Looks up a host that a stranger may have chosen. DNS is asked without a thread: the system's own look-up holds one of the four threads
 * of Node's pool for as long as a name server is silent, and files, the relay's name and everything else wait behind four of these.
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

/** As `dns`, then by the system, for names of the hosts file and of the local network: one at a time, so that one thread is held at most. */
export const localHostLookup =
  (dns: HostLookup): HostLookup =>
  async (host) => {
    const found = await dns(host).catch(() => [])
    if (found.length > 0) return found
    const answer = await bySystem('', () => systemLookup(host, { all: true, verbatim: true }))
    if (!answer) throw Object.assign(new Error('Too many names are being looked up'), { code: 'EAI_AGAIN' })
    return answer.value
  }
