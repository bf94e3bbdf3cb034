import type { Domain } from './domain.js'
import { hasDkim } from './domain-status.js'

/** A verified domain may lack DKIM for 72 hours; then sending from it stops. */
const hoursOfGrace = 72
const hour = 60 * 60_000

type Lost = Pick<Domain, 'domain' | 'region' | 'observed' | 'requiredDns' | 'verifiedAt' | 'dkimLostAt' | 'takenAt'>

/** Time since when checks of a verified domain have missed DKIM; undefined if the last check found it. */
const lostSince = (domain: Lost): string | undefined =>
  domain.verifiedAt === undefined || hasDkim(domain) ? undefined : (domain.dkimLostAt ?? domain.observed.dkim.checkedAt)

const endOfGrace = (since: string) => new Date(Date.parse(since) + hoursOfGrace * hour).toISOString()

/** Applies the check that was just made: the first one that misses DKIM is remembered until DKIM is back. */
export const notedLoss = (domain: Domain, now: string): Domain => {
  const { dkimLostAt, takenAt, ...rest } = domain
  if (hasDkim(domain)) return rest
  const kept = { ...rest, ...(takenAt !== undefined && { takenAt }) }
  if (domain.verifiedAt === undefined) return kept
  return { ...kept, dkimLostAt: dkimLostAt ?? now }
}

/** Warns that DNS names another owner, or must name one; undefined if DNS need not, or names this project's account. */
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
    ? `Whose ${domain} is in ${region} has to be shown by ${toAdd}: another account has it as well, or its DKIM records were in DNS before.`
    : `DNS names another account as the owner of ${domain} in ${region}, since ${takenAt}. Nothing is sent from it here; if it is yours, add ${toAdd}, and check the domain.`
}

/** The warning for a domain that lost DKIM or may belong to another account. */
export const lossWarning = (domain: Lost, now: string): string | undefined => {
  const owner = ownershipWarning(domain)
  if (owner !== undefined && (domain.takenAt !== undefined || domain.verifiedAt === undefined)) return owner
  const since = lostSince(domain)
  if (since === undefined) return undefined
  const end = endOfGrace(since)
  const records = owner === undefined ? 'DKIM records' : 'DKIM or ownership records'
  const lost = `The last check of ${domain.domain} in ${domain.region} found its ${records} missing, since ${since}.`
  return end <= now
    ? `${lost} Nothing is sent from it until they are back and checked.`
    : `${lost} From ${end} on nothing is sent from it, unless they are back and checked.`
}

/** The reason why sending from the domain has stopped; undefined if it has not. */
export const lossReason = (domain: Lost, now: string): string | undefined => {
  const since = lostSince(domain)
  if (since === undefined) return undefined
  return domain.takenAt !== undefined || endOfGrace(since) <= now ? lossWarning(domain, now) : undefined
}
