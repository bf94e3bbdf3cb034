import { z } from 'zod'
import { parsedBy, schemaViolationsOf } from '../../kernel/parsed.js'
import type { Runtime } from '../../kernel/ports.js'
import { type ProjectLimits, projectRecordLimit, refuseIfLimitReached } from '../../kernel/project-limits.js'
import { projectResource, updated } from '../../kernel/project-resource.js'
import type { ReferenceGuard } from '../../kernel/references.js'
import { blocked } from '../../kernel/refusal.js'
import type { RecordLookup, RepositoriesFor } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import { Count, stamps } from '../../kernel/shapes.js'
import { type Figures, figureSubject } from '../../reporting/figures/figure.js'
import { type SpanQuery, spanOf } from '../../reporting/figures/span.js'
import type { MembershipStore } from '../membership-store.js'
import {
  type DoubleOptInEmailRepository,
  doubleOptInRule,
  type SubscriberList,
  SubscriberListChanges,
  SubscriberListFields,
  SubscriberListView,
  writeWithDoubleOptInEmail,
} from '../subscriber-list.js'

type EmailToList = { readonly projectId: string; readonly subscriberListId: string; readonly name: string }

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ subscriberLists: SubscriberList }> & {
    readonly campaigns: RecordLookup<EmailToList & { status: string }>
    readonly triggeredEmails: RecordLookup<EmailToList>
    readonly transactionalEmails: DoubleOptInEmailRepository
  }
  readonly references: ReferenceGuard
  readonly membershipStore: Pick<MembershipStore, 'removeList' | 'tally'>
  readonly figures: Pick<Figures, 'totals'>
  readonly settings: { readonly limits: Pick<ProjectLimits, 'subscriberLists'> }
}

/** Memberships of a list by status now, and events on it. */
export const ListStats = z
  .object({
    active: Count.describe('People, as are the three that follow'),
    paused: Count.describe('Those who paused the subscription'),
    unsubscribed: Count.describe('Those who left'),
    unverified: Count.describe('Those who have not confirmed'),
    subscribed: Count.describe('How often somebody came, or came back; imports do not count'),
    unsubscribedEvents: Count.describe('How often somebody left'),
    pausedEvents: Count.describe('How often somebody paused'),
    unpausedEvents: Count.describe('How often a pause ended'),
    bounce: Count.describe('Permanent ones, of mails to the list'),
    complaint: Count.describe('Of mails to the list'),
  })
  .meta({ id: 'ListStats' })
export type ListStats = z.output<typeof ListStats>

/** gaps.md, "Subscriber lists". */
export const subscriberListUseCases = (deps: Deps) => {
  const { repositories, references, membershipStore, figures, clock, newId, settings } = deps
  const { subscriberLists, campaigns, triggeredEmails, transactionalEmails } = repositories
  const resource = projectResource(subscriberLists, SubscriberListView)

  const usingEmail = writeWithDoubleOptInEmail(transactionalEmails, references)
  const rule = ({ projectId }: Scope) => doubleOptInRule(projectId, transactionalEmails)

  return {
    list: resource.list,
    get: resource.get,

    projectOf: async (id: string): Promise<string | undefined> => (await subscriberLists.get({ _id: id }))?.projectId,

    violations: {
      create: (scope: Scope, input: unknown) => schemaViolationsOf(SubscriberListFields, input, rule(scope)),
      update: (scope: Scope, _id: string, input: unknown) =>
        schemaViolationsOf(SubscriberListChanges, input, rule(scope)),
    },

    /** @throws Refusal `invalid`, `not-found` for the double opt-in's email */
    create: async (scope: Scope, input: SubscriberListFields): Promise<SubscriberListView> => {
      const { projectId, requestId } = scope
      const fields = await parsedBy(SubscriberListFields, input, rule(scope))
      const list: SubscriberList = { _id: requestId ?? newId(), projectId, ...fields, ...stamps(clock().toISOString()) }
      const room = projectRecordLimit<SubscriberList>(projectId, settings.limits.subscriberLists)
      await usingEmail(projectId, list.doubleOptIn, () =>
        subscriberLists.add(list, room).catch(refuseIfLimitReached('subscriber lists')),
      )
      return resource.show(list)
    },

    /** doubleOptIn and signupForm are replaced whole. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: SubscriberListChanges): Promise<SubscriberListView> => {
      const changes = await parsedBy(SubscriberListChanges, input, rule(scope))
      await resource.stored(scope, id)
      const now = clock().toISOString()
      return usingEmail(scope.projectId, changes.doubleOptIn, () =>
        resource.change(scope, id, (list) => updated(list, changes, now)),
      )
    },

    /** The contacts stay. @throws Refusal `not-found`, `blocked` while an email uses the list */
    remove: async (scope: Scope, id: string): Promise<SubscriberListView> => {
      const { projectId } = scope
      const of = { projectId, subscriberListId: id }
      const assertUnused = async (): Promise<void> => {
        const user =
          (await campaigns.get({ ...of, status: ['draft', 'scheduled', 'being-sent', 'sent', 'error'] })) ??
          (await triggeredEmails.get(of))
        if (user) throw blocked(`The list is in use by the email ${user.name}.`)
      }
      const target = { repository: subscriberLists, _id: id, projectId }
      return resource.show(await references.unused(target, assertUnused, membershipStore.removeList))
    },

    /** Memberships of now; events of a span, else of all time. @throws Refusal `not-found`, `invalid` for the span */
    stats: async (scope: Scope, id: string, span?: SpanQuery): Promise<ListStats> => {
      await resource.stored(scope, id)
      const counts = await membershipStore.tally(id, clock().toISOString())
      const isLimited = span?.from !== undefined || span?.to !== undefined
      const events = await figures.totals(figureSubject.list(id), isLimited ? spanOf(span, clock()) : {})
      return ListStats.parse({
        ...counts,
        subscribed: (events.subscribe ?? 0) + (events.resubscribe ?? 0),
        unsubscribedEvents: events.unsubscribe ?? 0,
        pausedEvents: events['pause-subscription'] ?? 0,
        unpausedEvents: events['unpause-subscription'] ?? 0,
        bounce: events.bounces ?? 0,
        complaint: events.complaints ?? 0,
      })
    },
  }
}
