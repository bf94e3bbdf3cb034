import type { RepositoriesFor } from '../kernel/repository.js'
import { type Domain, hasDkim } from './domain.js'
import { lossReason } from './domain-check.js'

export type DomainVerified = (projectId: string, domain: string, region: string) => Promise<boolean>

export const verifiedDomains =
  ({ domains }: RepositoriesFor<{ domains: Domain }>): DomainVerified =>
  async (projectId, domain, region) => {
    const found = await domains.get({ projectId, domain, region })
    return found !== undefined && hasDkim(found)
  }

/** Why sending from an address of the domain has stopped. Unknown domains are the operator's responsibility. */
export const lostDomains =
  ({ domains }: RepositoriesFor<{ domains: Domain }>) =>
  async (projectId: string, domain: string, region: string, now: string): Promise<string | undefined> => {
    const found = await domains.get({ projectId, domain, region })
    return found && lossReason(found, now)
  }

/** For mailers whose relay decides which senders it accepts. Domains that another account added stay refused. */
export const anyDomain: DomainVerified = async () => true
