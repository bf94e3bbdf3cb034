import type { Contact } from '../contacts/contact.js'
import type { Figure } from '../figures/figure.js'
import type { ListQuery, Page, Where } from '../kernel/repository.js'
import type { Subscriber, SubscriberStatus } from './subscriber.js'
import type { SubscriberList } from './subscriber-list.js'

/** A query for a page of a list's memberships. `status` is the current one: an expired pause counts as active. */
export type MembershipQuery = Omit<ListQuery<Subscriber>, 'where'> & {
  readonly subscriberListId: string
  readonly where: Where<Subscriber>
  readonly status?: SubscriberStatus
  readonly now: string
}

/** A missing prerequisite of a membership. */
export type Missing = 'contact' | 'list'

/** A contact to add, or an existing one, with the membership to create for it. */
export type MemberUpsert = { readonly contact?: Contact; readonly membership?: Subscriber }

/** Why a contact or its membership was not added: something is missing, a key is taken, or the store failed. */
export type MemberUpsertFailure = Missing | 'taken' | Error

/**
 * Keeps memberships consistent with their contacts and lists: removing a contact or list removes its memberships, and no membership is
 * added to a removed one. Concurrent removals and joins are serialized.
 */
export interface MembershipStore {
  /** Whether each operation is one step, so that a crash during it leaves no membership without its contact and list. */
  readonly isAtomic: boolean
  /**
   * Adds the membership if its contact and list exist; otherwise adds nothing and returns what is missing.
   * @throws KeyTaken if the contact is already on the list
   */
  join(membership: Subscriber): Promise<Missing | undefined>
  /**
   * Adds many contacts and memberships in few writes, each independently; existing memberships stay unchanged. No two upserts may
   * concern the same contact. Returns each one's failure, in order. A contact whose key is taken gets no membership; a contact is added
   * even if its list no longer exists.
   */
  upsertMembers(upserts: readonly MemberUpsert[]): Promise<readonly (MemberUpsertFailure | undefined)[]>
  /**
   * Removes the owed event from the membership and adds its figures, in one step. Returns whether it was still owed: repeated calls count
   * it once.
   */
  settleOwed(
    membership: Pick<Subscriber, '_id' | 'subscriberListId' | 'contactId'>,
    eventId: string,
    figures: readonly Figure[],
  ): Promise<boolean>
  /** Removes the contact with its memberships and returns it; undefined if it does not exist. */
  removeContact(contact: Pick<Contact, '_id' | 'projectId'>): Promise<Contact | undefined>
  /** Removes the matching list with its memberships and returns it; undefined if none matches. */
  removeList(
    list: Pick<SubscriberList, '_id' | 'projectId'> & { readonly 'pendingRemoval.id'?: string },
  ): Promise<SubscriberList | undefined>
  /** One page, with the total number of matches. */
  page(question: MembershipQuery): Promise<Page<Subscriber>>
  /** Number of memberships per current status. */
  tally(subscriberListId: string, now: string): Promise<Readonly<Record<SubscriberStatus, number>>>
}
