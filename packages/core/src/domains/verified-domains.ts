import type { RepositoriesFor } from '../kernel/repository.js'
import type { Domain } from './domain.js'
import { hasDkim } from './domain-status.js'
import { lossReason } from './lost-domain.js'

/** Whether the project may send from that domain in that region. */
export type DomainVerified = (projectId: string, domain: string, region: string) => Promise<boolean>

/** What the last check of the project's domain found. */
export const verifiedDomains =
  ({ domains }: RepositoriesFor<{ domains: Domain }>): DomainVerified =>
  async (projectId, domain, region) => {
    const found = await domains.get({ projectId, domain, region })
    return found !== undefined && hasDkim(found)
  }

/**
 * Why nothing is sent from an address of the domain any more: its DKIM has been lost for too long. A domain that the project does not
 * have is the operator's to answer for.
 */
export const lostDomains =
  ({ domains }: RepositoriesFor<{ domains: Domain }>) =>
  async (projectId: string, domain: string, region: string, now: string): Promise<string | undefined> => {
    const found = await domains.get({ projectId, domain, region })
    return found && lossReason(found, now)
  }

/** Every domain that no other account has added: for mailers whose relay decides by itself which senders it takes. */
export const anyDomain: DomainVerified = async () => true
