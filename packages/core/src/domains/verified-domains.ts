import type { Repositories } from '../records.js'
import { hasDkim } from './standing.js'

/** Whether the project may send from that domain in that region. */
export type DomainVerified = (projectId: string, domain: string, region: string) => Promise<boolean>

/** What the last check of the project's domain found. */
export const verifiedDomains =
  ({ domains }: Pick<Repositories, 'domains'>): DomainVerified =>
  async (projectId, domain, region) => {
    const found = await domains.get({ projectId, domain, region })
    return found !== undefined && hasDkim(found)
  }

/** Every domain that no other account has added: for mailers whose relay decides by itself which senders it takes. */
export const anyDomain: DomainVerified = async () => true
