import { collected } from '../kernel/listing.js'
import type { Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Project } from '../projects/project.js'
import { type Domain, hasDkim, type RequiredDns } from './domain.js'
import type { DnsLookup } from './ports.js'
import { dnsReadingOfRecords } from './verification.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ domains: Domain; projects: Project }>
  readonly dns: Pick<DnsLookup, 'cname'>
  readonly secrets: Pick<Secrets, 'sign'>
}

type Named = Pick<Domain, '_id' | 'projectId' | 'domain' | 'region'>
type OwnershipRecord = NonNullable<RequiredDns['ownership']>

/** `sisters`: of projects of the same account; `rivals`: of other accounts. */
export type CompetingDomainClaims = {
  readonly own: OwnershipRecord
  readonly sisters: readonly Domain[]
  readonly rivals: readonly (Domain & { readonly ownershipRecord: OwnershipRecord })[]
}

export const ownershipRecordName = (domain: string): string => `_posthorn.${domain}`

/** The record stays required: a claimant that leaves may leave its DKIM records in DNS. */
export const withOwnershipDnsRecord = (record: Domain, ownership: OwnershipRecord): Domain =>
  record.requiredDns.ownership ? record : { ...record, requiredDns: { ...record.requiredDns, ownership } }

/** Stored when DNS names only another account: verification ends at once. */
export const domainAfterTakeover = (
  record: Domain,
  ownership: OwnershipRecord,
  texts: readonly string[],
  now: string,
): Domain => {
  const needing = withOwnershipDnsRecord(record, ownership)
  const { dkim, ...observed } = needing.observed
  return {
    ...needing,
    observed: {
      ...observed,
      ownership: dnsReadingOfRecords(undefined, texts, now),
      dkim: { ...dkim, allOk: false },
      allOk: false,
    },
    takenAt: needing.takenAt ?? now,
    updatedAt: now,
  }
}

/** The provider has a domain once per region: DKIM records cannot tell claimants apart, ownership records can. */
export const domainClaims = ({ repositories: { domains, projects }, dns, secrets }: Deps) => {
  /** One value for all projects of an account. */
  const recordOf = (accountId: string, domain: string): OwnershipRecord => ({
    type: 'TXT',
    name: ownershipRecordName(domain),
    value: `posthorn-domain-verification=${secrets.sign(`${accountId} ${domain}`, 'domain-ownership')}`,
  })

  /** Also true if the query fails. */
  const mayBeInDns = async ({ dkimCNAMEs }: RequiredDns): Promise<boolean> => {
    const answers = await Promise.all(dkimCNAMEs.map(({ name }) => dns.cname(name).catch(() => undefined)))
    return answers.some((targets) => targets === undefined || targets.length > 0)
  }

  return {
    of: async ({ _id, projectId, domain, region }: Named, accountId: string): Promise<CompetingDomainClaims> => {
      const others = (await collected(domains.each({ domain, region }))).filter(
        (one) => one._id !== _id && one.projectId !== projectId,
      )
      const accounts = new Map<string, string>()
      for await (const one of projects.each({ _id: [...new Set(others.map((other) => other.projectId))] }))
        accounts.set(one._id, one.accountId)
      const accountOf = (one: Domain) => accounts.get(one.projectId) ?? ''
      return {
        own: recordOf(accountId, domain),
        sisters: others.filter((one) => accountOf(one) === accountId),
        rivals: others
          .filter((one) => accountOf(one) !== accountId)
          .map((one) => ({ ...one, ownershipRecord: one.requiredDns.ownership ?? recordOf(accountOf(one), domain) })),
      }
    },

    /** Requires ownership records from unverified rivals: another account's DKIM records would verify them. */
    contest: async ({ rivals }: CompetingDomainClaims): Promise<void> => {
      const proven = new Set(rivals.filter(hasDkim).map(({ ownershipRecord }) => ownershipRecord.value))
      const unproven = rivals.filter(
        ({ requiredDns, ownershipRecord }) => !requiredDns.ownership && !proven.has(ownershipRecord.value),
      )
      for (const { _id, ownershipRecord } of unproven)
        await domains.change({ _id }, (current) =>
          hasDkim(current) ? current : withOwnershipDnsRecord(current, ownershipRecord),
        )
    },

    /** Requires the ownership record if another account has the domain, or its DKIM records already existed. */
    contested: async (record: Domain, { own, sisters, rivals }: CompetingDomainClaims): Promise<Domain> => {
      if (sisters.some(hasDkim)) return record
      const isContested = rivals.length > 0 || (await mayBeInDns(record.requiredDns))
      return isContested ? withOwnershipDnsRecord(record, own) : record
    },

    /** Takes the domain from rivals that the DNS texts do not name. */
    takeFromRivals: async (
      { rivals }: CompetingDomainClaims,
      texts: readonly string[],
      now: string,
    ): Promise<readonly Named[]> => {
      const losing = rivals.filter(({ ownershipRecord }) => !texts.includes(ownershipRecord.value))
      const held = losing.filter((one) => hasDkim(one))
      for (const { _id, ownershipRecord } of losing)
        await domains.change({ _id }, (current) => domainAfterTakeover(current, ownershipRecord, texts, now))
      return held
    },
  }
}

/** `a.b.example.com` lies below `b.example.com` and `example.com`. */
const parentsOf = (domain: string): readonly string[] => {
  const labels = domain.split('.')
  return labels.slice(1, -1).map((_, n) => labels.slice(n + 1).join('.'))
}

/**
 * True if another account has verified the domain or a parent, or has added it, unless this project has verified it.
 * Adding a domain does not lock out its owner, and nobody else can send from a domain that its owner added.
 */
export const claimedByOthersCheck =
  ({ domains, projects }: RepositoriesFor<{ domains: Domain; projects: Project }>) =>
  async (projectId: string, domain: string): Promise<boolean> => {
    const known = await collected(domains.each({ domain: [domain, ...parentsOf(domain)] }))
    if (known.some((one) => one.projectId === projectId && hasDkim(one))) return false
    const claims = known.filter((one) => one.domain === domain || hasDkim(one))
    const claimants = [...new Set(claims.map((one) => one.projectId))].filter((_id) => _id !== projectId)
    if (claimants.length === 0) return false
    const project = await projects.get({ _id: projectId })
    for await (const { accountId } of projects.each({ _id: claimants }))
      if (accountId !== project?.accountId) return true
    return false
  }
