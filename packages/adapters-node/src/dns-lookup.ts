import { Resolver } from 'node:dns/promises'
import type { DnsLookup } from '@posthorn/core'

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

/** Asks DNS anew each time, by node's own resolver; a server that fails or does not answer is an error, not an absence. */
export const dnsLookup = ({ servers, timeoutMilliseconds = 3000, tries = 2 }: DnsLookupOptions = {}): DnsLookup => {
  const resolver = new Resolver({ timeout: timeoutMilliseconds, tries })
  if (servers) resolver.setServers(servers)
  return {
    cname: (name) => orNone(resolver.resolveCname(name)),
    txt: (name) => orNone(resolver.resolveTxt(name).then((records) => records.map((parts) => parts.join('')))),
    mx: (name) => orNone(resolver.resolveMx(name)),
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
