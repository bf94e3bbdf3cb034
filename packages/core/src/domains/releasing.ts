import { domainOf } from '../kernel/email-address.js'
import { hostName } from '../kernel/host-name.js'
import { collected } from '../kernel/listing.js'
import type { Log } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Domain } from './domain.js'
import type { DomainSenders } from './domain-sender.js'
import type { Identities } from './ports.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ domains: Domain }> & { readonly senderIdentities: DomainSenders }
  readonly identities: Identities
  readonly log: Log
}

/** A domain that was taken from a project. */
export type ReleasedDomain = Pick<Domain, 'projectId' | 'domain' | 'region'>

/**
 * The operator's word on whose a domain is: takes it, and the senders that are of it, from all projects that have it, or from one.
 * Whoever owns it may add it then. What was cut off is finished by the next call.
 * @throws Refusal `not-found` where nobody has it, `unavailable` where the sending provider does not let it go
 */
export const domainRelease =
  ({ repositories: { domains, senderIdentities }, identities, log }: Deps) =>
  async (name: string, projectId?: string): Promise<readonly ReleasedDomain[]> => {
    const domain = hostName(name.trim())
    if (domain === undefined) throw invalid('domain: expected a domain name such as example.com')
    const found = await collected(domains.each({ domain, ...(projectId !== undefined && { projectId }) }))
    if (found.length === 0) throw notFound('Domain')
    const released: ReleasedDomain[] = []
    for (const { _id, region, projectId: holder } of found) {
      const held = await collected(domains.each({ domain, region }))
      const shared = held.some((one) => one._id !== _id)
      await identities.remove({ domain, region, projectId: holder, shared })
      for (const sender of await collected(senderIdentities.each({ projectId: holder, region })))
        if (domainOf(sender.email) === domain) await senderIdentities.remove({ _id: sender._id })
      await domains.remove({ _id })
      log('warn', 'A domain was released', { domain, region, projectId: holder })
      released.push({ projectId: holder, domain, region })
    }
    return released
  }
