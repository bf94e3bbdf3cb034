import type { Domain, Observed } from './domain.js'

type Seen = { readonly observed: Observed }

/** Whether the domain is verified: all DKIM records exist and the provider confirms them. */
export const hasDkim = ({ observed }: Seen): boolean => observed.dkim.allOk

/**
 * The host of the links in the domain's mails: its tracking domain, if the last check verified the domain and found the tracking record.
 */
export const trackingHostOf = (domain: Pick<Domain, 'trackingDomain' | 'observed'>): string | undefined =>
  hasDkim(domain) && domain.observed.tracking?.present ? domain.trackingDomain : undefined

/** Production access requires this of at least one domain (spec, "Production-access request status"). */
export const hasSpfMxAndDkim = (domain: Seen): boolean =>
  hasDkim(domain) && domain.observed.spf.present && domain.observed.mx.present

export type DomainStatus = 'none' | 'pending' | 'verified'

/** The status of a project's domains and the verified domain; an empty string if none is verified. */
export const domainStatusOf = (
  domains: readonly (Seen & Pick<Domain, 'domain'>)[],
): { readonly domainStatus: DomainStatus; readonly verifiedDomain: string } => {
  const verified = domains.find(hasDkim)
  if (verified) return { domainStatus: 'verified', verifiedDomain: verified.domain }
  return { domainStatus: domains.length > 0 ? 'pending' : 'none', verifiedDomain: '' }
}
