import type { Repository } from '../kernel/repository.js'

/** Who mails of a project's domain are from: what a domain has to know of a sender identity. */
export type DomainSender = {
  readonly _id: string
  readonly projectId: string
  readonly email: string
  readonly name: string
  readonly region: string
}

export type DomainSenders = Pick<Repository<DomainSender>, 'each' | 'remove'>
