import type { Domain } from '../../domains/domain.js'
import { type DomainVerified, lostDomains } from '../../domains/verified-domains.js'
import type { StoredEmail } from '../../emails/email-content.js'
import { domainOf } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import { invalid } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Project } from '../../projects/project.js'
import type { SenderIdentity } from '../../sender-identities/sender-identity.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ senderIdentities: SenderIdentity; domains: Domain }>
  /** Where it is given, whoever gives it decides who may send, and no check of a domain does. */
  readonly domainVerified?: DomainVerified | undefined
  readonly clock: Clock
}

/** Spec's sentence, and why. */
const unusable = (why: string) => invalid(`Project Email AWS configurations not found. ${why}`)

/** Who a project's mail comes from (gaps.md, "Credentials", "Domain lost"). */
export const usableSenders = ({ repositories, domainVerified, clock }: Deps) => {
  const { senderIdentities } = repositories
  const whyLost = lostDomains(repositories)

  /** Why nothing is sent by it; undefined where it may be used. What the operator named without a domain was answered for then. */
  const problemOf = async ({ projectId, email, region }: SenderIdentity): Promise<string | undefined> => {
    const domain = domainOf(email)
    if (!domainVerified) return whyLost(projectId, domain, region, clock().toISOString())
    return (await domainVerified(projectId, domain, region))
      ? undefined
      : `The domain of ${email} is not verified in ${region}; check its DNS records.`
  }

  const named = async (projectId: string, _id: string): Promise<SenderIdentity> => {
    const identity = await senderIdentities.get({ _id, projectId })
    if (!identity) throw unusable('The email’s sender identity is gone; choose another.')
    const problem = await problemOf(identity)
    if (problem) throw unusable(problem)
    return identity
  }

  const firstOf = async (projectId: string): Promise<SenderIdentity> => {
    const identities = await collected(senderIdentities.each({ projectId }))
    for (const identity of [...identities].sort((a, b) => a.position - b.position))
      if (!(await problemOf(identity))) return identity
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
