import type { Contact } from '../contacts/contact.js'
import type { Figure } from '../figures/figure.js'
import type { ListQuery, Page, Where } from '../kernel/repository.js'
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

/** A contact to add, or one that is there, and the membership to begin, which is about that contact. */
export type Enrolment = { readonly contact?: Contact; readonly membership?: Subscriber }

/** What kept a contact or its membership from being added: a key that another has, what is gone, or what the store made of it. */
export type EnrolmentFailure = Missing | 'taken' | Error

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
  /**
   * Adds many contacts and memberships in few writes, each by itself; a membership that is there already stays as it is. No two are
   * about the same contact. Answers for each, in their order, what stood in its way: a contact whose key is taken gets no membership;
   * one that was added stays, though its list is gone.
   */
  enrol(enrolments: readonly Enrolment[]): Promise<readonly (EnrolmentFailure | undefined)[]>
  /**
   * Takes the event off what the membership owes and adds its figures, in one step. Answers whether it owed it: it is counted once,
   * however often that is asked.
   */
  settleOwed(
    membership: Pick<Subscriber, '_id' | 'subscriberListId' | 'contactId'>,
    eventId: string,
    figures: readonly Figure[],
  ): Promise<boolean>
  /** Removes the contact with its memberships, and answers it; undefined where there is none. */
  removeContact(contact: Pick<Contact, '_id' | 'projectId'>): Promise<Contact | undefined>
  /** Removes the list that fits with its memberships, and returns it; undefined where none does. */
  removeList(
    list: Pick<SubscriberList, '_id' | 'projectId'> & { readonly 'pendingRemoval.id'?: string },
  ): Promise<SubscriberList | undefined>
  /** One page, and the number of all that fit. */
  page(question: RosterQuestion): Promise<Page<Subscriber>>
  /** How many there are of each status as it is now. */
  tally(subscriberListId: string, now: string): Promise<Readonly<Record<SubscriberStatus, number>>>
}
