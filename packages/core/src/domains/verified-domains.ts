import type { RepositoriesFor } from '../kernel/repository.js'
import type { Domain } from './domain.js'
import { hasDkim } from './domain.js'
import { lossReason } from './domain-check.js'

/** Whether the project may send from that domain in that region. */
export type DomainVerified = (projectId: string, domain: string, region: string) => Promise<boolean>

/** By the last check of the project's domain. */
export const verifiedDomains =
  ({ domains }: RepositoriesFor<{ domains: Domain }>): DomainVerified =>
  async (projectId, domain, region) => {
    const found = await domains.get({ projectId, domain, region })
    return found !== undefined && hasDkim(found)
  }

/**
 * The reason why sending from an address of the domain has stopped: DKIM was missing for too long. A domain that the project does not have
 * is the operator's responsibility.
 */
export const lostDomains =
  ({ domains }: RepositoriesFor<{ domains: Domain }>) =>
  async (projectId: string, domain: string, region: string, now: string): Promise<string | undefined> => {
    const found = await domains.get({ projectId, domain, region })
    return found && lossReason(found, now)
  }

/** Accepts every domain (but those that another account has added): for mailers whose relay decides itself which senders it accepts. */
export const anyDomain: DomainVerified = async () => true
