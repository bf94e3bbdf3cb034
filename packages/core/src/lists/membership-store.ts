import type { Contact } from '../contacts/contact.js'
import type { Page, RepositoryListQuery, Where } from '../kernel/repository.js'
import type { Figure } from '../reporting/figures/figure.js'
import type { Subscriber, SubscriberStatus } from './subscriber.js'
import type { SubscriberList } from './subscriber-list.js'

/** `status` is the current one: an expired pause counts as active. */
export type MembershipQuery = Omit<RepositoryListQuery<Subscriber>, 'where'> & {
  readonly subscriberListId: string
  readonly where: Where<Subscriber>
  readonly status?: SubscriberStatus
  readonly now: string
}

export type MissingContactOrList = 'contact' | 'list'

/** A contact to add, or an existing one, and its membership. */
export type MembershipToAdd = { readonly contact?: Contact; readonly membership?: Subscriber }

export type MemberUpsertFailure = MissingContactOrList | 'taken' | Error

/** Removing a contact or list removes its memberships, and none is added to a removed one. Concurrent removals and joins are serialized. */
export interface MembershipStore {
  /** Whether a crash cannot leave a membership without its contact and list. */
  readonly isAtomic: boolean
  /**
   * Returns what is missing; then nothing is added.
   * @throws KeyTaken if the contact is on the list
   */
  join(membership: Subscriber): Promise<MissingContactOrList | undefined>
  /**
   * Few, independent writes; existing memberships stay. One upsert per contact. Returns failures in order. A contact whose key is taken gets no
   * membership; a contact is added even if its list was removed.
   */
  upsertMembers(upserts: readonly MembershipToAdd[]): Promise<readonly (MemberUpsertFailure | undefined)[]>
  /** In one step. Returns whether the event was still owed. */
  settleOwed(
    membership: Pick<Subscriber, '_id' | 'subscriberListId' | 'contactId'>,
    eventId: string,
    figures: readonly Figure[],
  ): Promise<boolean>
  /** With its memberships; undefined if it does not exist. */
  removeContact(contact: Pick<Contact, '_id' | 'projectId'>): Promise<Contact | undefined>
  /** With its memberships; undefined if none matches. */
  removeList(
    list: Pick<SubscriberList, '_id' | 'projectId'> & { readonly 'pendingRemoval.id'?: string },
  ): Promise<SubscriberList | undefined>
  page(question: MembershipQuery): Promise<Page<Subscriber>>
  tally(subscriberListId: string, now: string): Promise<Readonly<Record<SubscriberStatus, number>>>
}
