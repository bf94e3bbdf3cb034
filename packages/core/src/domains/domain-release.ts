import { domainOf } from '../kernel/email-address.js'
import { hostName } from '../kernel/host-name.js'
import { collected } from '../kernel/listing.js'
import type { Log } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import type { RepositoriesFor, Repository } from '../kernel/repository.js'
import type { Domain } from './domain.js'
import type { DomainIdentities } from './ports.js'

export type DomainSender = {
  readonly _id: string
  readonly projectId: string
  readonly email: string
  readonly name: string
  readonly region: string
}

export type DomainSenderRepository = Pick<Repository<DomainSender>, 'each' | 'remove'>

type Deps = {
  readonly repositories: RepositoriesFor<{ domains: Domain }> & { readonly senderIdentities: DomainSenderRepository }
  readonly identities: DomainIdentities
  readonly log: Log
}

type ReleasedDomain = Pick<Domain, 'projectId' | 'domain' | 'region'>

/**
 * Settles a dispute: removes a domain and its sender identities from one or all projects. Repeating an interrupted call
 * completes it.
 * @throws Refusal `not-found` if no project has it, `unavailable` if the provider does not remove it
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
