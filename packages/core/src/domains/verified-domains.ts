import type { RepositoriesFor } from '../kernel/repository.js'
import { type Domain, hasDkim } from './domain.js'
import { domainStopReason } from './domain-check.js'

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
export const anyDomain: IsDomainVerified = async () => true
