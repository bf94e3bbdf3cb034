import type { Log } from '../kernel/ports.js'
import { updated } from '../kernel/project-resource.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { type Domain, hasDkim } from './domain.js'
import {
  type CompetingDomainClaims,
  domainAfterTakeover,
  ownershipRecordName,
  withOwnershipDnsRecord,
} from './ownership.js'
import type { DnsLookup, DomainIdentities } from './ports.js'
import { type DnsLookupResults, observedDnsFrom } from './verification.js'

/** A verified domain may lack DKIM for 72 hours; then sending from it stops. */
const hoursOfGrace = 72
const hour = 60 * 60_000

type Lost = Pick<Domain, 'domain' | 'region' | 'observed' | 'requiredDns' | 'verifiedAt' | 'dkimLostAt' | 'takenAt'>

const lostSince = (domain: Lost): string | undefined =>
  domain.verifiedAt === undefined || hasDkim(domain) ? undefined : (domain.dkimLostAt ?? domain.observed.dkim.checkedAt)

const endOfGrace = (since: string) => new Date(Date.parse(since) + hoursOfGrace * hour).toISOString()

/** Since when a verified domain lacks its DNS records, and until when its mail is sent. */
export const domainGracePeriodOf = (domain: Lost): { readonly since: string; readonly until: string } | undefined => {
  const since = lostSince(domain)
  return since === undefined ? undefined : { since, until: endOfGrace(since) }
}

/** Keeps the first check without DKIM until DKIM is back. */
const withDkimLoss = (domain: Domain, now: string): Domain => {
  const { dkimLostAt, takenAt, ...rest } = domain
  if (hasDkim(domain)) return rest
  const kept = { ...rest, ...(takenAt !== undefined && { takenAt }) }
  if (domain.verifiedAt === undefined) return kept
  return { ...kept, dkimLostAt: dkimLostAt ?? now }
}

const ownershipWarning = ({
  domain,
  region,
  requiredDns: { ownership },
  takenAt,
  observed,
}: Lost): string | undefined => {
  if (!ownership || observed.ownership?.present) return undefined
  const toAdd = `the TXT record ${ownership.name} with ${ownership.value}`
  return takenAt === undefined
    ? `Add ${toAdd} to show that ${domain} in ${region} is yours: another account has added it too, or its DKIM records were in DNS before.`
    : `DNS names another account as the owner of ${domain} in ${region}, since ${takenAt}. Mail from it is not sent. If it is yours, add ${toAdd}, then check the domain.`
}

export const domainLossWarning = (domain: Lost, now: string): string | undefined => {
  const owner = ownershipWarning(domain)
  if (owner !== undefined && (domain.takenAt !== undefined || domain.verifiedAt === undefined)) return owner
  const since = lostSince(domain)
  if (since === undefined) return undefined
  const end = endOfGrace(since)
  const records = owner === undefined ? 'DKIM records' : 'DKIM or ownership records'
  const lost = `The last check of ${domain.domain} in ${domain.region} did not find its ${records}; they have been missing since ${since}.`
  return end <= now
    ? `${lost} Mail from the domain is not sent until a check finds them.`
    : `${lost} From ${end} on, mail from the domain is not sent until a check finds them.`
}

const domainStopReason = (domain: Lost, now: string): string | undefined => {
  const since = lostSince(domain)
  if (since === undefined) return undefined
  return domain.takenAt !== undefined || endOfGrace(since) <= now ? domainLossWarning(domain, now) : undefined
}

type Deps = { readonly dns: DnsLookup; readonly identities: DomainIdentities; readonly log: Log }

/**
 * Queries DNS and the provider in parallel; a failed query is only logged. `asksOwner`: also queries ownership records
 * that the domain does not need.
 */
export const domainDnsLookup =
  ({ dns, identities, log }: Deps) =>
  async ({ domain, region, projectId, requiredDns }: Domain, asksOwner = false): Promise<DnsLookupResults> => {
    const answer = async <T>(what: string, query: Promise<T>): Promise<T | undefined> => {
      try {
        return await query
      } catch (error) {
        log('warn', 'A domain’s record could not be read', { domain, region, what, error: String(error) })
        return undefined
      }
    }
    const { dkimCNAMEs, mx, spf, dmarc, tracking } = requiredDns
    const owner = ownershipRecordName(domain)
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

const seenBy = (current: Domain, answers: DnsLookupResults, now: string): Domain =>
  updated(current, { observed: observedDnsFrom(current.requiredDns, answers, current.observed, now) }, now)

/**
 * If other accounts claim the domain, an unverified account needs its ownership record in DNS. A verified account
 * keeps the domain until DNS names another account instead, or its DKIM records disappear.
 */
export const domainAfterCheck = (
  current: Domain,
  answers: DnsLookupResults,
  claims: CompetingDomainClaims | undefined,
  now: string,
): Domain => {
  if (!claims) return withDkimLoss(seenBy(current, answers, now), now)
  const { own, sisters, rivals } = claims
  const isOpen = (one: Domain) => rivals.length > 0 && ![one, ...sisters].some(hasDkim)
  const texts = answers.ownership ?? []
  const isTaken =
    !texts.includes((current.requiredDns.ownership ?? own).value) &&
    rivals.some(({ ownershipRecord }) => texts.includes(ownershipRecord.value))
  const seen = seenBy(isOpen(current) ? withOwnershipDnsRecord(current, own) : current, answers, now)
  const next = isTaken ? domainAfterTakeover(seen, own, texts, now) : seen
  return withDkimLoss(isOpen(next) ? withOwnershipDnsRecord(next, own) : next, now)
}

export type IsDomainVerified = (projectId: string, domain: string, region: string) => Promise<boolean>

export const domainVerifiedCheck =
  ({ domains }: RepositoriesFor<{ domains: Domain }>): IsDomainVerified =>
  async (projectId, domain, region) => {
    const found = await domains.get({ projectId, domain, region })
    return found !== undefined && hasDkim(found)
  }

/** Why sending from an address of the domain has stopped. Unknown domains are the operator's responsibility. */
export const findDomainStopReason =
  ({ domains }: RepositoriesFor<{ domains: Domain }>) =>
  async (projectId: string, domain: string, region: string, now: string): Promise<string | undefined> => {
    const found = await domains.get({ projectId, domain, region })
    return found && domainStopReason(found, now)
  }

/** For mailers whose relay decides which senders it accepts. Domains that another account added stay refused. */
export const allowAnySenderDomain: IsDomainVerified = async () => true
