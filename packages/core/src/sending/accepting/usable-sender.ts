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

type SendingProject = Pick<Project, '_id' | 'status' | 'cloudConfig'>

const noSender = 'The project has no sender identity to send from. Add one first.'

/** Spec's sentence, and why. */
export const unusable = (why: string) => invalid(`Project Email AWS configurations not found. ${why}`)

/** Who mail comes from: a sender identity, or a sender of the project's own account. */
export type UsableSender = Pick<SenderIdentity, 'email' | 'name' | 'region'>

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

  const found = async (projectId: string, _id: string): Promise<SenderIdentity> => {
    const identity = await senderIdentities.get({ _id, projectId })
    if (!identity) throw unusable('The email’s sender identity is gone. Choose another.')
    return identity
  }

  const named = async (projectId: string, _id: string): Promise<SenderIdentity> => {
    const identity = await found(projectId, _id)
    const problem = await problemOf(identity)
    if (problem) throw unusable(problem)
    return identity
  }

  const inOrder = async (projectId: string): Promise<readonly SenderIdentity[]> =>
    (await collected(senderIdentities.each({ projectId }))).toSorted((a, b) => a.position - b.position)

  const firstOf = async (projectId: string): Promise<SenderIdentity> => {
    const identities = await inOrder(projectId)
    for (const identity of identities) if (!(await problemOf(identity))) return identity
    throw unusable(
      identities.length === 0
        ? noSender
        : 'No sender identity of the project is of a domain that is verified. Check the DNS records.',
    )
  }

  /** Its own account knows which domains it may send from: no check here says anything of that. */
  const ofOwnAccount = async (
    { _id: projectId, cloudConfig }: SendingProject,
    senderIdentity: string | undefined,
  ): Promise<UsableSender> => {
    if (senderIdentity) return found(projectId, senderIdentity)
    const [own] = cloudConfig?.senderIdentities ?? []
    const region = own?.region ?? cloudConfig?.region
    if (own && region !== undefined) return { email: own.email, name: own.name, region }
    const [first] = await inOrder(projectId)
    if (!first) throw unusable(noSender)
    return first
  }

  /**
   * The email's sender; where it names none, the first of the list that is usable. Of a project with an account of its own, the first of
   * that account's, else of the list.
   * @throws Refusal `invalid` where there is none, with the reason
   */
  return async (
    project: SendingProject,
    { senderIdentity }: Pick<StoredEmail, 'senderIdentity'>,
  ): Promise<UsableSender> => {
    if (project.status === 'byoCloudSes') return ofOwnAccount(project, senderIdentity)
    return senderIdentity ? named(project._id, senderIdentity) : firstOf(project._id)
  }
}
