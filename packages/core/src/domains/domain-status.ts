import type { Domain, Observed } from './domain.js'

type Seen = { readonly observed: Observed }

/** Whether the domain is verified: all DKIM records are in place, and the sending provider confirms it. */
export const hasDkim = ({ observed }: Seen): boolean => observed.dkim.allOk

/** By which host links of its mails lead: the last check of the domain found its own, and that it is the project's. */
export const trackingHostOf = (domain: Pick<Domain, 'trackingDomain' | 'observed'>): string | undefined =>
  hasDkim(domain) && domain.observed.tracking?.present ? domain.trackingDomain : undefined

/** Whether it has what production access asks of one domain at least (spec, "Production-access request status"). */
export const hasSpfMxAndDkim = (domain: Seen): boolean =>
  hasDkim(domain) && domain.observed.spf.present && domain.observed.mx.present

export type DomainStatus = 'none' | 'pending' | 'verified'

/** How far a project is with its domains, and which is verified; an empty string where none is. */
export const domainStatusOf = (
  domains: readonly (Seen & Pick<Domain, 'domain'>)[],
): { readonly domainStatus: DomainStatus; readonly verifiedDomain: string } => {
  const verified = domains.find(hasDkim)
  if (verified) return { domainStatus: 'verified', verifiedDomain: verified.domain }
  return { domainStatus: domains.length > 0 ? 'pending' : 'none', verifiedDomain: '' }
}
