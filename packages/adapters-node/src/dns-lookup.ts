import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { concurrencyLimiter, type DnsLookup } from '@posthorn/core/ports/runtime'

export type DnsLookupOptions = {
  /** With or without a port: `192.0.2.1`, `[2001:db8::1]:5353`. Default: the system's. */
  readonly servers?: readonly string[] | undefined
  /** For one try with one server. */
  readonly timeoutMilliseconds?: number
  readonly tries?: number
}

/** RFC 2308: no such name, or no record of that type. */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

const orNone = async <T>(asked: Promise<readonly T[]>): Promise<readonly T[]> => {
  try {
    return await asked
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

const mostRecords = 100
/** In characters. SPF, DKIM and DMARC records are shorter (RFC 7208 section 3.4). */
const longestText = 2_000
/** RFC 1035 section 3.1: 255 octets, each written as `\\ddd` at most. */
const longestName = 1_020

const bounded = <T>(records: readonly T[], lengthOf: (record: T) => number, longest: number): readonly T[] =>
  records.filter((record) => lengthOf(record) <= longest).slice(0, mostRecords)

/** Uncached; drops malformed or oversized records. Failures and timeouts are errors, not absent records. */
export const dnsLookup = ({ servers, timeoutMilliseconds = 3000, tries = 2 }: DnsLookupOptions = {}): DnsLookup => {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries })
  if (servers) resolver.setServers(servers)
  return {
    cname: async (name) => bounded(await orNone(resolver.resolveCname(name)), ({ length }) => length, longestName),
    txt: async (name) => {
      const texts = (await orNone(resolver.resolveTxt(name))).map((parts) => parts.join(''))
      return bounded(texts, ({ length }) => length, longestText)
    },
    mx: async (name) => {
      const records = await orNone(resolver.resolveMx(name))
      const named = records.map(({ exchange, priority }) => ({ exchange, priority }))
      return bounded(named, ({ exchange }) => exchange.length, longestName)
    },
  }
}

export const isDnsServer = (text: string): boolean => {
  try {
    new Resolver().setServers([text])
    return true
  } catch {
    return false
  }
}

export type ResolvedHostAddress = { readonly address: string; readonly family: number }
export type HostLookup = (host: string) => Promise<readonly ResolvedHostAddress[]>

export type HostLookupOptions = Pick<DnsLookupOptions, 'servers' | 'timeoutMilliseconds'>

/** Per family. */
const mostAddresses = 16
const mostWaiting = 20

/** A system look-up holds one of Node's four pool threads while a name server is silent; four block file access and all look-ups. */
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

const bySystem = concurrencyLimiter({ total: 1, waiting: mostWaiting })

/** The system knows the hosts file and the local network. One look-up at a time holds at most one thread. */
export const dnsThenSystemLookup =
  (dns: HostLookup): HostLookup =>
  async (host) => {
    const found = await dns(host).catch(() => [])
    if (found.length > 0) return found
    const turn = await bySystem.take('')
    if (!turn) throw Object.assign(new Error('Too many names are being looked up'), { code: 'EAI_AGAIN' })
    try {
      return await systemLookup(host, { all: true, verbatim: true })
    } finally {
      turn.settle(0)
    }
  }
