import { Resolver } from 'node:dns/promises'
import type { DnsLookup } from '@posthorn/core/ports'

export type DnsLookupOptions = {
  /** Addresses of the servers to ask, with or without a port: `192.0.2.1`, `[2001:db8::1]:5353`. Absent: the system's. */
  readonly servers?: readonly string[] | undefined
  /** For one try with one server. */
  readonly timeoutMilliseconds?: number
  readonly tries?: number
}

/** The name does not exist, or has no record of that type (RFC 2308). */
const absent = new Set(['ENOTFOUND', 'ENODATA'])

const orNone = async <T>(asked: Promise<readonly T[]>): Promise<readonly T[]> => {
  try {
    return await asked
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/** Of one name's records, whatever a server answers: more than any domain has that is set up for mail. */
const mostRecords = 100
/** A text that is longer is none of SPF, DKIM or DMARC, whose readers stop well before (RFC 7208 section 3.4). */
const longestText = 2_000
/** RFC 1035 section 3.1, each of 255 octets written as `\\ddd` at the most. */
const longestName = 1_020

const bounded = <T>(records: readonly T[], lengthOf: (record: T) => number, longest: number): readonly T[] =>
  records.filter((record) => lengthOf(record) <= longest).slice(0, mostRecords)

/**
 * Asks DNS anew each time, by node's own resolver, and takes of the answer what a record of its kind can be. A server that fails or does
 * not answer is an error, not an absence.
 */
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

/** Whether the text names a DNS server as `dnsLookup` takes it. */
export const isDnsServer = (text: string): boolean => {
  try {
    new Resolver().setServers([text])
    return true
  } catch {
    return false
  }
}
