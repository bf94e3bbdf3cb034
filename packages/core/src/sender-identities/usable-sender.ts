import { hasDkim } from '../domains/standing.js'
import type { DomainVerified } from '../domains/verified-domains.js'
import type { StoredEmail } from '../emails/email-content.js'
import { domainOf } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import { invalid } from '../kernel/refusal.js'
import type { Project } from '../projects/project.js'
import type { Repositories } from '../records.js'
import type { SenderIdentity } from './sender-identity.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'senderIdentities' | 'domains'>
  /** Absent: what the last check of the domain found. */
  readonly domainVerified?: DomainVerified | undefined
}

/** Spec's sentence, and why. */
const unusable = (why: string) => invalid(`Project Email AWS configurations not found. ${why}`)

/** Who a project's mail comes from (gaps.md, "Credentials"). */
export const usableSenders = ({ repositories: { senderIdentities, domains }, domainVerified }: Deps) => {
  /** What the operator named has no domain in the project, and was answered for then. */
  const asChecked: DomainVerified = async (projectId, domain, region) => {
    const found = await domains.get({ projectId, domain, region })
    return found === undefined || hasDkim(found)
  }
  const isVerified = domainVerified ?? asChecked
  const isUsable = ({ projectId, email, region }: SenderIdentity) => isVerified(projectId, domainOf(email), region)

  const named = async (projectId: string, _id: string): Promise<SenderIdentity> => {
    const identity = await senderIdentities.get({ _id, projectId })
    if (!identity) throw unusable('The email’s sender identity is gone; choose another.')
    if (await isUsable(identity)) return identity
    throw unusable(`The domain of ${identity.email} is not verified in ${identity.region}; check its DNS records.`)
  }

  const firstOf = async (projectId: string): Promise<SenderIdentity> => {
    const identities = await collected(senderIdentities.each({ projectId }))
    for (const identity of [...identities].sort((a, b) => a.position - b.position))
      if (await isUsable(identity)) return identity
    throw unusable(
      identities.length === 0
        ? 'The project has no sender identity to send from; add one first.'
        : 'No sender identity of the project is of a domain that is verified; check the DNS records.',
    )
  }

  /**
   * The email's sender; where it names none, the first of the list that is usable.
   * @throws Refusal `invalid` where there is none, with the reason
   */
  return async (
    { _id: projectId, status }: Pick<Project, '_id' | 'status'>,
    { senderIdentity }: Pick<StoredEmail, 'senderIdentity'>,
  ): Promise<SenderIdentity> => {
    if (status === 'byoCloudSes') throw unusable('This server has no way to send through the project’s own account.')
    return senderIdentity ? named(projectId, senderIdentity) : firstOf(projectId)
  }
}
