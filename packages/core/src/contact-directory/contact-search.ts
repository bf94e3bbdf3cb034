import type { Contact } from '../contacts/contact.js'
import type { Page, Where } from '../kernel/repository.js'
import type { MeantGroups } from '../segments/segment.js'
import type { Subscriber, SubscriberStatus } from '../subscribers/subscriber.js'

/** A query for a page of contacts; all conditions must hold. */
export type ContactQuestion = {
  readonly projectId: string
  readonly where: Where<Contact>
  /** Is on that list, with that current status: an expired pause counts as active. `where` applies to the membership. */
  readonly list?: {
    readonly subscriberListId: string
    readonly status?: SubscriberStatus
    readonly where?: Where<Subscriber>
  }
  /** Is on at least one of these lists, with any status; an empty array matches no contact. */
  readonly onOneOf?: readonly string[]
  /** Matches each of these segments, as `matches` evaluates them. */
  readonly segments: readonly MeantGroups[]
  /**
   * A field of the contact, or `customFields.city`, with values of one type. Absent values come first when ascending; ties are ordered by
   * `_id` in the same direction.
   */
  readonly sort: { readonly by: keyof Contact | `customFields.${string}`; readonly order: 'asc' | 'desc' }
  readonly skip: number
  readonly limit: number
  readonly now: string
}

/** Searches contacts in the store, which runs its own query without blocking the main thread. */
export interface ContactSearch {
  /**
   * One page, with the total number of matches.
   * @throws Refusal `busy` if the query takes longer than the store allows
   */
  page(question: ContactQuestion): Promise<Page<Contact>>
}
