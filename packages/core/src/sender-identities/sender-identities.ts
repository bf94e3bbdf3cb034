import { z } from 'zod'
import { type Domain, regionSchemaOf } from '../domains/domain.js'
import { domainVerifiedCheck, type IsDomainVerified } from '../domains/domain-check.js'
import { claimedByOthersCheck } from '../domains/ownership.js'
import { addressKey, domainOf } from '../kernel/email-address.js'
import { collected, type ListQuery, listAll, newestRecords } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { type ProjectLimits, projectRecordLimit, refuseIfLimitReached } from '../kernel/project-limits.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import type { ReferenceGuard } from '../kernel/references.js'
import { blocked, invalid } from '../kernel/refusal.js'
import { type Page, type RecordLookup, type RepositoriesFor, refuseIfKeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id, stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { type SenderIdentity, SenderIdentityFields, SenderIdentityView } from './sender-identity.js'

type AddingDeps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ senderIdentities: SenderIdentity }>
  readonly settings: { readonly limits: Pick<ProjectLimits, 'senderIdentities'> }
}

/** At the end of the list. @throws KeyTaken, or Refusal `invalid` if the project is at its limit */
export const senderIdentityAdding =
  ({ repositories: { senderIdentities }, clock, newId, settings }: AddingDeps) =>
  async (
    projectId: string,
    { email, name, region }: Pick<SenderIdentity, 'email' | 'name' | 'region'>,
  ): Promise<SenderIdentity> => {
    const [last] = await newestRecords(senderIdentities, { projectId }, 'position', 1)
    const identity: SenderIdentity = {
      _id: newId(),
      projectId,
      email,
      emailKey: addressKey(email),
      name,
      region,
      position: (last?.position ?? 0) + 1,
      ...stamps(clock().toISOString()),
    }
    await senderIdentities
      .add(identity, projectRecordLimit(projectId, settings.limits.senderIdentities))
      .catch(refuseIfLimitReached('sender identities'))
    return identity
  }
type AddSenderIdentity = ReturnType<typeof senderIdentityAdding>

type SentEmail = { readonly projectId: string; readonly senderIdentity?: string; readonly name: string }

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ domains: Domain; projects: Project; senderIdentities: SenderIdentity }> & {
    readonly campaigns: RecordLookup<SentEmail & { status: string }>
    readonly triggeredEmails: RecordLookup<SentEmail>
    readonly transactionalEmails: RecordLookup<SentEmail>
  }
  readonly references: ReferenceGuard
  readonly addSenderIdentity: AddSenderIdentity
  /** Default: the last check of the domain. */
  readonly domainVerified?: IsDomainVerified | undefined
  readonly settings: { readonly regions: readonly string[] }
}

const inOrder = { by: 'position', order: 'asc' } as const

/** Spec, "Sender identity". An email that names no sender uses the first one. */
export const senderIdentityUseCases = (deps: Deps) => {
  const { repositories, clock, settings } = deps
  const { domainVerified = domainVerifiedCheck(repositories) } = deps
  const isClaimed = claimedByOthersCheck(repositories)
  const { senderIdentities, campaigns, triggeredEmails, transactionalEmails } = repositories
  const resource = projectResource(senderIdentities, SenderIdentityView)
  const fields = SenderIdentityFields.extend({ region: regionSchemaOf(settings.regions) })

  const first = async (projectId: string): Promise<SenderIdentity | undefined> =>
    (await senderIdentities.list({ where: { projectId }, sort: inOrder, skip: 0, limit: 1 })).items[0]

  const assertSendable = async (projectId: string, domain: string, region: string): Promise<void> => {
    if (!(await domainVerified(projectId, domain, region)))
      throw invalid(`email: the domain ${domain} is not verified in ${region}; add it and its DNS records first`)
    if (await isClaimed(projectId, domain))
      throw invalid(
        `email: another account has added the domain ${domain}, or one above it; add it to this project and verify it by its DNS records first`,
      )
  }

  /** @throws Refusal `blocked` if a scheduled campaign needs it */
  const assertNotNeeded = async ({ _id, projectId }: SenderIdentity): Promise<void> => {
    const waiting = await campaigns.get({ projectId, status: 'scheduled' })
    if (!waiting) return
    const others = (await collected(senderIdentities.each({ projectId }))).filter((one) => one._id !== _id)
    if (others.every(deps.references.isBeingRemoved))
      throw blocked(
        `The sender identity is the only one, and the scheduled campaign ${waiting.name} needs it. Add another first, or unschedule the campaign.`,
      )
  }

  return {
    /** The default first; only `filter` has an effect. @throws Refusal `invalid` */
    list: async (
      { projectId }: Scope,
      { filter: { email, ...filter } = {} }: Pick<ListQuery, 'filter'> = {},
    ): Promise<Page<SenderIdentityView>> => {
      const where = { projectId, ...(email !== undefined && { emailKey: addressKey(email) }) }
      const { items, count } = await listAll(senderIdentities, where, SenderIdentityView, filter, inOrder)
      return { items: items.map((one) => resource.show(one)), count }
    },

    /** At the end of the list. The operator may add any domain. @throws Refusal `invalid` */
    create: async ({ projectId, caller }: Scope, input: SenderIdentityFields): Promise<SenderIdentityView> => {
      const { email, name, region } = parsed(fields, input)
      if (caller !== 'operator') await assertSendable(projectId, domainOf(email), region)
      const identity = await deps
        .addSenderIdentity(projectId, { email, name, region })
        .catch(refuseIfKeyTaken(() => invalid(`email: ${email} is a sender identity in ${region} already`)))
      return resource.show(identity)
    },

    /** Moves the identity to the front. @throws Refusal `not-found` */
    setDefault: async (scope: Scope, id: string): Promise<SenderIdentityView> => {
      const front = await first(scope.projectId)
      const now = clock().toISOString()
      return resource.change(scope, id, (identity) =>
        !front || front._id === id ? identity : updated(identity, { position: front.position - 1 }, now),
      )
    },

    /** @throws Refusal `not-found`, `blocked` while an email uses it, or a scheduled campaign has no other sender */
    remove: async (scope: Scope, id: string): Promise<{ _id: string }> => {
      const { projectId } = scope
      const assertUnused = async (identity: SenderIdentity): Promise<void> => {
        const usedBy = { projectId, senderIdentity: id }
        const users = await Promise.all([
          campaigns.get(usedBy),
          triggeredEmails.get(usedBy),
          transactionalEmails.get(usedBy),
        ])
        const user = users.find((one) => one !== undefined)
        if (user) throw blocked(`The sender identity is in use by the email ${user.name}.`)
        await assertNotNeeded(identity)
      }
      const target = { repository: senderIdentities, _id: id, projectId }
      const { _id } = await deps.references.unused(target, assertUnused, (where) => senderIdentities.remove(where))
      return { _id }
    },
  }
}

export const Removed = z.object({ _id: Id }).meta({ id: 'Removed' })
