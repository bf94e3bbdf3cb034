import type { Log } from '../kernel/ports.js'
import type { Domain } from './domain.js'
import { ownershipName } from './ownership.js'
import type { DnsLookup, Identities } from './ports.js'
import type { Answers } from './verification.js'

type Deps = { readonly dns: DnsLookup; readonly identities: Identities; readonly log: Log }

/**
 * Queries DNS and the provider for all of a domain's records in parallel. A failed query is logged and does not fail the others.
 * `asksOwner` also queries ownership records that the domain itself does not need.
 */
export const lookingUp =
  ({ dns, identities, log }: Deps) =>
  async ({ domain, region, projectId, requiredDns }: Domain, asksOwner = false): Promise<Answers> => {
    const answer = async <T>(what: string, asked: Promise<T>): Promise<T | undefined> => {
      try {
        return await asked
      } catch (error) {
        log('warn', 'A domain’s record could not be read', { domain, region, what, error: String(error) })
        return undefined
      }
    }
    const { dkimCNAMEs, mx, spf, dmarc, tracking } = requiredDns
    const owner = ownershipName(domain)
    const [cnames, ...others] = await Promise.all([
      Promise.all(dkimCNAMEs.map(({ name }) => answer(`CNAME ${name}`, dns.cname(name)))),
      answer('identity', identities.verified({ domain, region, projectId })),
      answer(`MX ${mx.name}`, dns.mx(mx.name)),
      answer(`TXT ${spf.name}`, dns.txt(spf.name)),
      answer(`TXT ${dmarc.name}`, dns.txt(dmarc.name)),
      tracking && answer(`CNAME ${tracking.name}`, dns.cname(tracking.name)),
      asksOwner || requiredDns.ownership ? answer(`TXT ${owner}`, dns.txt(owner)) : undefined,
    ])
    const [confirmed, mxFound, spfFound, dmarcFound, trackingFound, ownership] = others
    return { cnames, confirmed, mx: mxFound, spf: spfFound, dmarc: dmarcFound, tracking: trackingFound, ownership }
  }
