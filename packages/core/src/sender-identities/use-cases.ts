import { z } from 'zod'
import { addressKey, domainOf } from '../kernel/email-address.js'
import { type ListQueryFields, listed } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import { blocked, invalid } from '../kernel/refusal.js'
import { KeyTaken, type Listed } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id } from '../kernel/shapes.js'
import type { Repositories } from '../records.js'
import { type SenderIdentity, SenderIdentityFields, SenderIdentityView } from './sender-identity.js'

/** Whether the project may send from that domain in that region: what domain verification has found, or the operator's word. */
export type DomainVerified = (projectId: string, domain: string, region: string) => Promise<boolean>

/** Every domain: for mailers whose relay decides by itself which senders it takes. */
export const anyDomain: DomainVerified = async () => true

type Deps = {
  readonly repositories: Pick<
    Repositories,
    'senderIdentities' | 'campaigns' | 'triggeredEmails' | 'transactionalEmails'
  >
  readonly domainVerified: DomainVerified
  readonly clock: Clock
  readonly newId: NewId
  readonly settings: { readonly regions: readonly string[] }
}

/** Spec, "Sender identity". Order is meaning: the first is used by an email that names none. */
export const senderIdentityUseCases = ({ repositories, domainVerified, clock, newId, settings }: Deps) => {
  const { senderIdentities, campaigns, triggeredEmails, transactionalEmails } = repositories
  const resource = projectResource('Sender identity', senderIdentities, SenderIdentityView)

  /** The identity at that end of the order. */
  const edge = async (projectId: string, order: 'asc' | 'desc') =>
    (await senderIdentities.list({ where: { projectId }, sort: { by: 'position', order }, skip: 0, limit: 1 })).items[0]

  return {
    /** All of them, the default first; `filter` alone has an effect. @throws Refusal `invalid` */
    list: async (
      { projectId }: Scope,
      { filter }: Pick<z.output<typeof ListQueryFields>, 'filter'> = {},
    ): Promise<Listed<SenderIdentityView>> => {
      const all = { skip: 0, limit: Number.MAX_SAFE_INTEGER, ...(filter && { filter }) }
      const { items, count } = await listed(senderIdentities, { projectId }, SenderIdentityView, all, {
        by: 'position',
        order: 'asc',
      })
      return { items: items.map((one) => resource.show(one)), count }
    },

    /** The last of the list, or the default where it is the first. @throws Refusal `invalid` */
    create: async ({ projectId }: Scope, input: unknown): Promise<SenderIdentityView> => {
      const { email, name, region } = parsed(SenderIdentityFields, input)
      if (!settings.regions.includes(region)) throw invalid(`region: expected one of ${settings.regions.join(', ')}`)
      if (!(await domainVerified(projectId, domainOf(email), region)))
        throw invalid(
          `email: the domain ${domainOf(email)} is not verified in ${region}; add it and its DNS records first`,
        )
      const now = clock().toISOString()
      const identity: SenderIdentity = {
        _id: newId(),
        projectId,
        email,
        emailKey: addressKey(email),
        name,
        region,
        position: ((await edge(projectId, 'desc'))?.position ?? 0) + 1,
        createdAt: now,
        updatedAt: now,
      }
      await senderIdentities.add(identity).catch((error) => {
        if (error instanceof KeyTaken) throw invalid(`email: ${email} is a sender identity in ${region} already`)
        throw error
      })
      return resource.show(identity)
    },

    /** Moves the identity to the front. @throws Refusal `not-found` */
    setDefault: async (scope: Scope, id: string): Promise<SenderIdentityView> => {
      const first = await edge(scope.projectId, 'asc')
      const now = clock().toISOString()
      return resource.change(scope, id, (identity) =>
        !first || first._id === id ? identity : updated(identity, { position: first.position - 1 }, now),
      )
    },

    /** @throws Refusal `not-found`, `blocked` while an email uses it */
    remove: async (scope: Scope, id: string): Promise<{ _id: string }> => {
      const { _id } = await resource.stored(scope, id)
      const usedBy = { projectId: scope.projectId, senderIdentity: _id }
      const users = await Promise.all([
        campaigns.get(usedBy),
        triggeredEmails.get(usedBy),
        transactionalEmails.get(usedBy),
      ])
      const user = users.find((one) => one !== undefined)
      if (user) throw blocked(`The sender identity is in use by the email ${user.name}.`)
      await resource.remove(scope, id)
      return { _id }
    },
  }
}

/** What removing answers. */
export const Removed = z.object({ _id: Id }).meta({ id: 'Removed' })
