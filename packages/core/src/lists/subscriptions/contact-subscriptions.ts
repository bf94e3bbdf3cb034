import { z } from 'zod'
import type { Contact } from '../../contacts/contact.js'
import type { Import } from '../../contacts/imports/import.js'
import { addressKey } from '../../kernel/email-address.js'
import { ListQueryFields, recordsById } from '../../kernel/listing.js'
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

/** When and how a contact joined its lists, and its status on each. */
export const contactSubscriptionUseCases = ({ repositories, clock }: Deps) => {
  const { contacts, subscribers, subscriberLists, imports, signupForms } = repositories

  return {
    /** Newest first. @throws Refusal `not-found` */
    list: async (
      { projectId }: Scope,
      email: string,
      { skip, limit }: SubscriptionQuery,
    ): Promise<Page<Subscription>> => {
      const { _id: contactId } = await getOrNotFound(contacts, { projectId, emailKey: addressKey(email) })
      const { items, count } = await subscribers.list({
        where: { contactId, projectId },
        sort: { by: 'createdAt', order: 'desc' },
        skip,
        limit,
      })
      const joinings = items.map((membership) => ({ membership, joining: joiningOf(membership) }))
      const listIds = items.map((one) => one.subscriberListId)
      const idsOf = (kind: 'signupFormId' | 'importId') => joinings.map(({ joining }) => joining[kind])
      const [lists, forms, files] = await Promise.all([
        recordsById(subscriberLists, projectId, listIds),
        recordsById(signupForms, projectId, idsOf('signupFormId')),
        recordsById(imports, projectId, idsOf('importId')),
      ])
      const now = clock().toISOString()
      const shown = joinings.flatMap(({ membership, joining }): readonly Subscription[] => {
        const list = lists.get(membership.subscriberListId)
        const form = forms.get(joining.signupFormId ?? '')
        const file = files.get(joining.importId ?? '')
        const status = subscriberStatusAt(membership, now)
        if (!list) return []
        const view: z.input<typeof Subscription> = {
          ...{ _id: list._id, name: list.name, status },
          ...(status === 'paused' && { pausedUntil: membership.pausedUntil }),
          joinedAt: joining.at,
          changedAt: changeOf(membership, now),
          ...(form && { signupForm: form }),
          ...(joining.consent !== undefined && { consent: joining.consent }),
          ...(file && { import: { _id: file._id, fileName: file.fileName, consent: file.plan?.consent } }),
        }
        return [Subscription.parse(view)]
      })
      return { items: shown, count }
    },
  }
}
