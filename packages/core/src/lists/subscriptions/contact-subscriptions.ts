import { z } from 'zod'
import type { Contact, EndedMembership } from '../../contacts/contact.js'
import type { Import } from '../../contacts/imports/import.js'
import { addressKey } from '../../kernel/email-address.js'
import { collected, ListQueryFields, recordsById } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import { getOrNotFound, type Page, type RepositoriesFor, type Repository } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import { Id, type InProject, Instant } from '../../kernel/shapes.js'
import { joiningOf, type Subscriber, subscriberStatusAt, subscriberStatuses } from '../subscriber.js'
import type { SubscriberList } from '../subscriber-list.js'

export const SubscriptionQuery = ListQueryFields.pick({ skip: true, limit: true })
export type SubscriptionQuery = z.output<typeof SubscriptionQuery>

export const Subscription = z
  .object({
    _id: Id,
    name: z.string().describe('Name of the list'),
    status: z.enum(subscriberStatuses).describe('A pause that is over counts as active'),
    pausedUntil: Instant.optional().describe('Present while paused'),
    joinedAt: Instant.describe('When they joined, or last came back after leaving'),
    changedAt: Instant.describe('When they joined, or their status or pause last changed'),
    endedBy: z
      .enum(['bounce', 'complaint'])
      .optional()
      .describe('What took them off the list, at `changedAt`; `status` is then `unsubscribed`'),
    signupForm: z
      .object({ _id: Id, name: z.string().describe('Name of the form') })
      .optional()
      .describe('Form through which they joined; absent if it was deleted'),
    import: z
      .object({
        _id: Id,
        fileName: z.string().describe('Name of the uploaded file'),
        consent: z.string().optional().describe('How the people in the file agreed to get mail'),
      })
      .optional()
      .describe('Import that added them'),
    consent: z.string().optional().describe('How they agreed, as the system that they were migrated from recorded it'),
  })
  .meta({ id: 'Subscription', description: 'A list that a contact is on, or has left, by the id of the list' })
export type Subscription = z.output<typeof Subscription>

type Named = InProject & { readonly name: string }

type Deps = {
  readonly repositories: RepositoriesFor<{
    contacts: Contact
    subscribers: Subscriber
    subscriberLists: SubscriberList
    imports: Import
  }> & { readonly signupForms: Pick<Repository<Named>, 'each'> }
  readonly clock: Clock
}

/** An expired pause counts as ended, even if that is not stored yet. */
const changeOf = ({ status, pausedUntil, updatedAt }: Subscriber, now: string): string =>
  status === 'paused' && pausedUntil !== undefined && pausedUntil <= now ? pausedUntil : updatedAt

type Shown = Omit<z.input<typeof Subscription>, '_id' | 'name' | 'signupForm' | 'import'> & {
  readonly subscriberListId: string
  readonly signupFormId?: string | undefined
  readonly importId?: string | undefined
}

const ofMembership = (membership: Subscriber, now: string): Shown => {
  const { at: joinedAt, ...origin } = joiningOf(membership)
  const status = subscriberStatusAt(membership, now)
  return {
    ...origin,
    ...{ subscriberListId: membership.subscriberListId, status, joinedAt, changedAt: changeOf(membership, now) },
    ...(status === 'paused' && { pausedUntil: membership.pausedUntil }),
  }
}

const ofEnded = ({ endedAt: changedAt, ...ended }: EndedMembership): Shown => ({
  ...ended,
  status: 'unsubscribed',
  changedAt,
})

/** When and how a contact joined its lists, and its status on each. */
export const contactSubscriptionUseCases = ({ repositories, clock }: Deps) => {
  const { contacts, subscribers, subscriberLists, imports, signupForms } = repositories

  /** Newest first, without lists that the contact is on again. */
  const endedOf = async ({ _id: contactId, endedMemberships = [] }: Contact): Promise<readonly EndedMembership[]> => {
    if (endedMemberships.length === 0) return []
    const subscriberListId = endedMemberships.map((one) => one.subscriberListId)
    const again = await collected(subscribers.each({ contactId, subscriberListId }))
    const latest = new Map(endedMemberships.map((one) => [one.subscriberListId, one]))
    for (const one of again) latest.delete(one.subscriberListId)
    return [...latest.values()].sort((a, b) => (a.endedAt < b.endedAt ? 1 : -1))
  }

  return {
    /** Newest first; then those that a bounce or complaint ended. @throws Refusal `not-found` */
    list: async (
      { projectId }: Scope,
      email: string,
      { skip, limit }: SubscriptionQuery,
    ): Promise<Page<Subscription>> => {
      const contact = await getOrNotFound(contacts, { projectId, emailKey: addressKey(email) })
      const { items, count } = await subscribers.list({
        where: { contactId: contact._id, projectId },
        sort: { by: 'createdAt', order: 'desc' },
        skip,
        limit,
      })
      const ended = await endedOf(contact)
      const now = clock().toISOString()
      const beyond = Math.max(0, skip - count)
      const page = [
        ...items.map((one) => ofMembership(one, now)),
        ...ended.slice(beyond, beyond + limit - items.length).map(ofEnded),
      ]
      const [lists, forms, files] = await Promise.all([
        recordsById(
          subscriberLists,
          projectId,
          page.map((one) => one.subscriberListId),
        ),
        recordsById(
          signupForms,
          projectId,
          page.map((one) => one.signupFormId),
        ),
        recordsById(
          imports,
          projectId,
          page.map((one) => one.importId),
        ),
      ])
      const shown = page.flatMap(({ subscriberListId, signupFormId = '', importId = '', ...one }) => {
        const list = lists.get(subscriberListId)
        const form = forms.get(signupFormId)
        const file = files.get(importId)
        if (!list) return []
        const view: z.input<typeof Subscription> = {
          ...one,
          ...{ _id: list._id, name: list.name },
          ...(form && { signupForm: form }),
          ...(file && { import: { _id: file._id, fileName: file.fileName, consent: file.plan?.consent } }),
        }
        return [Subscription.parse(view)]
      })
      return { items: shown, count: count + ended.length }
    },
  }
}
