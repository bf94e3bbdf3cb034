import type { Contact } from '../contacts/contact.js'
import type { Page, Where } from '../kernel/repository.js'
import type { MeantGroups } from '../segments/segment.js'
import type { Subscriber, SubscriberStatus } from '../subscribers/subscriber.js'

/** Which contacts are meant, and which page of them. All that is given has to hold. */
export type ContactQuestion = {
  readonly projectId: string
  readonly where: Where<Contact>
  /** On that list, with that status as it is now: a pause that is over counts as active. `where` is about the membership. */
  readonly list?: {
    readonly subscriberListId: string
    readonly status?: SubscriberStatus
    readonly where?: Where<Subscriber>
  }
  /** On one of these lists at least, whatever the status: of none of them nobody. */
  readonly onOneOf?: readonly string[]
  /** In each of these segments, as `matches` reads them. */
  readonly segments: readonly MeantGroups[]
  /**
   * A field of the contact, or `customFields.city`, whose values are of one type. Absent ones come first when ascending; what is
   * equal is ordered by `_id` in the same direction.
   */
  readonly sort: { readonly by: keyof Contact | `customFields.${string}`; readonly order: 'asc' | 'desc' }
  readonly skip: number
  readonly limit: number
  readonly now: string
}

/** Contact lists are asked of the store, which answers with a query of its own and holds up nobody meanwhile. */
export interface ContactSearch {
  /**
   * One page, and the number of all that fit.
   * @throws Refusal `busy` where the answer takes longer than the store allows
   */
  page(question: ContactQuestion): Promise<Page<Contact>>
}
