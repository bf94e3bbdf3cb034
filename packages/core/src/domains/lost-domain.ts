import type { Domain } from './domain.js'
import { hasDkim } from './domain-status.js'

/** How long a domain that was verified may be without DKIM before nothing is sent from it any more, in hours. */
const hoursOfGrace = 72
const hour = 60 * 60_000

type Lost = Pick<Domain, 'domain' | 'region' | 'observed' | 'verifiedAt' | 'dkimLostAt'>

/** Since when the checks of a domain that was verified find no DKIM; undefined where the last one has found it. */
const lostSince = (domain: Lost): string | undefined =>
  domain.verifiedAt === undefined || hasDkim(domain) ? undefined : (domain.dkimLostAt ?? domain.observed.dkim.checkedAt)

const endOfGrace = (since: string) => new Date(Date.parse(since) + hoursOfGrace * hour).toISOString()

/** What a check that was made now makes of it: the first one that misses DKIM is remembered until it is back. */
export const notedLoss = (domain: Domain, now: string): Domain => {
  const { dkimLostAt, ...rest } = domain
  if (domain.verifiedAt === undefined || hasDkim(domain)) return rest
  return { ...rest, dkimLostAt: dkimLostAt ?? now }
}

/** What there is to say of a domain that has lost DKIM. */
export const lossWarning = (domain: Lost, now: string): string | undefined => {
  const since = lostSince(domain)
  if (since === undefined) return undefined
  const end = endOfGrace(since)
  const lost = `The last check of ${domain.domain} in ${domain.region} found its DKIM records missing, since ${since}.`
  return end <= now
    ? `${lost} Nothing is sent from it until they are back and checked.`
    : `${lost} From ${end} on nothing is sent from it, unless they are back and checked.`
}

/** Why nothing is sent from the domain any more; undefined where it is. */
export const lossReason = (domain: Lost, now: string): string | undefined => {
  const since = lostSince(domain)
  return since !== undefined && endOfGrace(since) <= now ? lossWarning(domain, now) : undefined
}
