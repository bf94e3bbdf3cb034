import type { Contact } from '../contacts/contact.js'
import type { Listed, ListQuery, Where } from '../kernel/repository.js'
import type { Subscriber, SubscriberStatus } from './subscriber.js'
import type { SubscriberList } from './subscriber-list.js'

/** A page of a list's memberships. `status` is as it is now: a pause that is over counts as active. */
export type RosterQuestion = Omit<ListQuery<Subscriber>, 'where'> & {
  readonly subscriberListId: string
  readonly where: Where<Subscriber>
  readonly status?: SubscriberStatus
  readonly now: string
}

/** What a membership needs and is gone. */
export type Missing = 'contact' | 'list'

/**
 * What ties memberships to their contacts and lists. A contact or list that is removed takes its memberships along, and nobody joins
 * what is gone, whatever happens at the same time: of a removal and a join one comes first.
 */
export interface Roster {
  /** Whether each of these is one step, so that a process that dies in it leaves no membership without its contact and list. */
  readonly isAtomic: boolean
  /**
   * Adds the membership where its contact and its list are there; else answers what is missing, and adds nothing.
   * @throws KeyTaken for somebody who is on the list already
   */
  join(membership: Subscriber): Promise<Missing | undefined>
  /** Removes the contact with its memberships, and answers it; undefined where there is none. */
  removeContact(contact: Pick<Contact, '_id' | 'projectId'>): Promise<Contact | undefined>
  /** Removes the list with its memberships, and answers it; undefined where there is none. */
  removeList(list: Pick<SubscriberList, '_id' | 'projectId'>): Promise<SubscriberList | undefined>
  /** One page, and the number of all that fit. */
  page(question: RosterQuestion): Promise<Listed<Subscriber>>
  /** How many there are of each status as it is now. */
  tally(subscriberListId: string, now: string): Promise<Readonly<Record<SubscriberStatus, number>>>
}
