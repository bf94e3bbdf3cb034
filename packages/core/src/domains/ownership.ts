import { collected } from '../kernel/listing.js'
import type { Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Project } from '../projects/project.js'
import { type Domain, hasDkim, type RequiredDns } from './domain.js'
import type { DnsLookup } from './ports.js'
import { readingOf } from './verification.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ domains: Domain; projects: Project }>
  readonly dns: Pick<DnsLookup, 'cname'>
  readonly secrets: Pick<Secrets, 'sign'>
}

type Named = Pick<Domain, '_id' | 'projectId' | 'domain' | 'region'>
type OwnershipRecord = NonNullable<RequiredDns['ownership']>

/** Other claims to a domain in its region: projects of the same account, and those of other accounts, each with its ownership record. */
export type Claims = {
  readonly own: OwnershipRecord
  readonly sisters: readonly Domain[]
  readonly rivals: readonly (Domain & { readonly ownershipRecord: OwnershipRecord })[]
}

/** The name of a domain's ownership record, the same for all accounts. */
export const ownershipName = (domain: string): string => `_posthorn.${domain}`

/** Adds the ownership record to the required ones. It stays required: a claimant that leaves may leave its DKIM records in DNS. */
export const needingOwnership = (record: Domain, ownership: OwnershipRecord): Domain =>
  record.requiredDns.ownership ? record : { ...record, requiredDns: { ...record.requiredDns, ownership } }

/** The fields to store when DNS names another account's project and not this one: verification ends at once. */
export const takenAway = (
  record: Domain,
  ownership: OwnershipRecord,
  texts: readonly string[],
  now: string,
): Domain => {
  const needing = needingOwnership(record, ownership)
  const { dkim, ...observed } = needing.observed
  return {
    ...needing,
    observed: {
      ...observed,
      ownership: readingOf(undefined, texts, now),
      dkim: { ...dkim, allOk: false },
      allOk: false,
    },
    takenAt: needing.takenAt ?? now,
    updatedAt: now,
  }
}

/**
 * Resolves competing claims to a domain that the provider has only once per region. DKIM records cannot tell the claimants apart;
 * ownership records can.
 */
export const domainClaims = ({ repositories: { domains, projects }, dns, secrets }: Deps) => {
  /** One for all projects of an account; always the same value. */
  const recordOf = (accountId: string, domain: string): OwnershipRecord => ({
    type: 'TXT',
    name: ownershipName(domain),
    value: `posthorn-domain-verification=${secrets.sign(`${accountId} ${domain}`, 'domain-ownership')}`,
  })

  /** True if one of the records is in DNS, or if DNS cannot confirm that none is. */
  const mayBeInDns = async ({ dkimCNAMEs }: RequiredDns): Promise<boolean> => {
    const answers = await Promise.all(dkimCNAMEs.map(({ name }) => dns.cname(name).catch(() => undefined)))
    return answers.some((targets) => targets === undefined || targets.length > 0)
  }

  return {
    of: async ({ _id, projectId, domain, region }: Named, accountId: string): Promise<Claims> => {
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

    /**
     * Requires an ownership record from rivals whose account has not verified the domain: otherwise another account's DKIM records would
     * verify them.
     */
    contest: async ({ rivals }: Claims): Promise<void> => {
      const proven = new Set(rivals.filter(hasDkim).map(({ ownershipRecord }) => ownershipRecord.value))
      const unproven = rivals.filter(
        ({ requiredDns, ownershipRecord }) => !requiredDns.ownership && !proven.has(ownershipRecord.value),
      )
      for (const { _id, ownershipRecord } of unproven)
        await domains.change({ _id }, (current) =>
          hasDkim(current) ? current : needingOwnership(current, ownershipRecord),
        )
    },

    /**
     * The domain to add. It requires the ownership record if DKIM records cannot show which account the owner means: another account has
     * the domain, or the DKIM records existed before, as left by an earlier claimant.
     */
    contested: async (record: Domain, { own, sisters, rivals }: Claims): Promise<Domain> => {
      if (sisters.some(hasDkim)) return record
      const isContested = rivals.length > 0 || (await mayBeInDns(record.requiredDns))
      return isContested ? needingOwnership(record, own) : record
    },

    /** Takes the domain from all rivals whose ownership record is not among the texts of the DNS response. */
    takeFromRivals: async ({ rivals }: Claims, texts: readonly string[], now: string): Promise<readonly Named[]> => {
      const losing = rivals.filter(({ ownershipRecord }) => !texts.includes(ownershipRecord.value))
      const held = losing.filter((one) => hasDkim(one))
      for (const { _id, ownershipRecord } of losing)
        await domains.change({ _id }, (current) => takenAway(current, ownershipRecord, texts, now))
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
 * Whether the domain must be treated as another account's: that account has verified it or a parent domain; or has merely added it (anyone
 * can) while this project has not proved ownership. DNS records settle both cases: adding a domain does not lock out its owner, and no
 * other account can send from a domain that its owner has added.
 */
export const claimedByOthers =
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
