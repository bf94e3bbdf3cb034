import type { Domain } from '../../domains/domain.js'
import { type DomainVerified, lostDomains } from '../../domains/verified-domains.js'
import { domainOf } from '../../kernel/email-address.js'
import { collected } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import { invalid } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { StoredEmail } from '../../mail/content.js'
import type { Project } from '../../projects/project.js'
import type { SenderIdentity } from '../../sender-identities/sender-identity.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ senderIdentities: SenderIdentity; domains: Domain }>
  /** If set, this decides which domains may send; stored domain checks are ignored. */
  readonly domainVerified?: DomainVerified | undefined
  readonly clock: Clock
}

type SendingProject = Pick<Project, '_id' | 'status' | 'cloudConfig'>

const noSender = 'The project has no sender identity to send from. Add one first.'

/** Prefixes the reason with the spec's sentence. */
export const unusable = (why: string) => invalid(`Project Email AWS configurations not found. ${why}`)

/** The sender of a mail: a sender identity, or a sender of the project's own account. */
export type UsableSender = Pick<SenderIdentity, 'email' | 'name' | 'region'>

/** Chooses the sender of a project's mail (gaps.md, "Credentials", "Domain lost"). */
export const usableSenders = ({ repositories, domainVerified, clock }: Deps) => {
  const { senderIdentities } = repositories
  const whyLost = lostDomains(repositories)

  /**
   * Returns why the identity cannot send, or undefined if it can. An identity that the operator added without a domain passed its check
   * then.
   */
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

  /** The project's own account decides which domains it may send from; nothing is checked here. */
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
   * Returns the email's sender or, if it names none, the first usable one of the list. A project with its own account uses that account's
   * first sender, else the first one of the list.
   * @throws Refusal `invalid` with the reason if there is no usable sender
   */
  return async (
    project: SendingProject,
    { senderIdentity }: Pick<StoredEmail, 'senderIdentity'>,
  ): Promise<UsableSender> => {
    if (project.status === 'byoCloudSes') return ofOwnAccount(project, senderIdentity)
    return senderIdentity ? named(project._id, senderIdentity) : firstOf(project._id)
  }
}
