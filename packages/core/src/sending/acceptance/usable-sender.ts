import type { Domain } from '../../domains/domain.js'
import { findDomainStopReason, type IsDomainVerified } from '../../domains/domain-check.js'
import { domainOf } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import { invalid } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { EmailRecord } from '../../mail/content.js'
import type { Project } from '../../projects/project.js'
import type { SenderIdentity } from '../../sender-identities/sender-identity.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ senderIdentities: SenderIdentity; domains: Domain }>
  /** Replaces the stored domain checks. */
  readonly domainVerified?: IsDomainVerified | undefined
  readonly clock: Clock
}

type SendingProject = Pick<Project, '_id' | 'status' | 'cloudConfig'>

const noSender = 'The project has no sender identity to send from. Add one first.'

/** Prefixes the reason with the spec's sentence. */
export const unusableSenderRefusal = (why: string) => invalid(`Project Email AWS configurations not found. ${why}`)

export type UsableSender = Pick<SenderIdentity, 'email' | 'name' | 'region'>

/** gaps.md, "Credentials", "Domain lost". */
export const usableSenders = ({ repositories, domainVerified, clock }: Deps) => {
  const { senderIdentities } = repositories
  const whyLost = findDomainStopReason(repositories)

  const problemOf = async ({ projectId, email, region }: SenderIdentity): Promise<string | undefined> => {
    const domain = domainOf(email)
    if (!domainVerified) return whyLost(projectId, domain, region, clock().toISOString())
    return (await domainVerified(projectId, domain, region))
      ? undefined
      : `The domain of ${email} is not verified in ${region}; check its DNS records.`
  }

  const found = async (projectId: string, _id: string): Promise<SenderIdentity> => {
    const identity = await senderIdentities.get({ _id, projectId })
    if (!identity) throw unusableSenderRefusal('The email’s sender identity was deleted. Choose another.')
    return identity
  }

  const named = async (projectId: string, _id: string): Promise<SenderIdentity> => {
    const identity = await found(projectId, _id)
    const problem = await problemOf(identity)
    if (problem) throw unusableSenderRefusal(problem)
    return identity
  }

  const inOrder = async (projectId: string): Promise<readonly SenderIdentity[]> =>
    (await collected(senderIdentities.each({ projectId }))).toSorted((a, b) => a.position - b.position)

  const firstOf = async (projectId: string): Promise<SenderIdentity> => {
    const identities = await inOrder(projectId)
    for (const identity of identities) if (!(await problemOf(identity))) return identity
    throw unusableSenderRefusal(
      identities.length === 0
        ? noSender
        : 'No sender identity of the project has a verified domain. Check the DNS records.',
    )
  }

  /** The account's provider decides which domains may send. */
  const ofOwnAccount = async (
    { _id: projectId, cloudConfig }: SendingProject,
    senderIdentity: string | undefined,
  ): Promise<UsableSender> => {
    if (senderIdentity) return found(projectId, senderIdentity)
    const [own] = cloudConfig?.senderIdentities ?? []
    const region = own?.region ?? cloudConfig?.region
    if (own && region !== undefined) return { email: own.email, name: own.name, region }
    const [first] = await inOrder(projectId)
    if (!first) throw unusableSenderRefusal(noSender)
    return first
  }

  /**
   * The email's sender, else the first usable one; with an own account, that account's first sender.
   * @throws Refusal `invalid`
   */
  return async (
    project: SendingProject,
    { senderIdentity }: Pick<EmailRecord, 'senderIdentity'>,
  ): Promise<UsableSender> => {
    if (project.status === 'byoCloudSes') return ofOwnAccount(project, senderIdentity)
    return senderIdentity ? named(project._id, senderIdentity) : firstOf(project._id)
  }
}
