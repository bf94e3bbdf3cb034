import type { Repository } from '../kernel/repository.js'

/** The fields of a sender identity that the domain use cases need. */
export type DomainSender = {
  readonly _id: string
  readonly projectId: string
  readonly email: string
  readonly name: string
  readonly region: string
}

export type DomainSenders = Pick<Repository<DomainSender>, 'each' | 'remove'>
