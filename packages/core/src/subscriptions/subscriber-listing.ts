import { z } from 'zod'
import type { ContactDirectory } from '../contact-directory/contact-directory.js'
import type { ContactQuestion, ContactSearch } from '../contact-directory/contact-search.js'
import type { Contact } from '../contacts/contact.js'
import { collected, type FieldQuery, fieldViolations, type ListQueryFields, parsedQuery } from '../kernel/listing.js'
import { without } from '../kernel/merged.js'
import type { Clock } from '../kernel/ports.js'
import type { Page, RepositoriesFor, Scalar, Sort, Where } from '../kernel/repository.js'
import type { Roster } from '../subscribers/roster.js'
import {
  type Subscriber,
  type SubscriberStatus,
  SubscriberView,
  statusAt,
  subscriberStatuses,
} from '../subscribers/subscriber.js'

export type SubscriberListingDeps = {
  readonly repositories: RepositoriesFor<{ contacts: Contact; subscribers: Subscriber }>
  readonly contactDirectory: ContactDirectory
  readonly clock: Clock
  readonly contactSearch: ContactSearch
  readonly roster: Pick<Roster, 'page'>
}

/** The fields of a membership that list queries take, apart from the address. */
const listFields = SubscriberView.pick({ status: true, pausedUntil: true }).extend({ createdAt: z.string() })

export const subscriberFilters = { ...listFields.shape, email: SubscriberView.shape.email }

/** Violations of a list query that names unknown fields. */
export const subscriberQueryViolations = ({ sort, filter = {} }: FieldQuery) =>
  fieldViolations(listFields.shape, { sort: sort === 'email' ? undefined : sort, filter: without(filter, 'email') })

const isStatus = (text: unknown): text is SubscriberStatus => (subscriberStatuses as readonly unknown[]).includes(text)
const knownStatus = (text: Scalar | undefined) => (isStatus(text) ? { status: text } : {})

/** Memberships as clients see them, with their contacts and the current status. */
export const subscriberListing = (deps: SubscriberListingDeps) => {
  const { repositories, contactSearch, roster, clock } = deps
  const { subscribers, contacts } = repositories
  const directory = deps.contactDirectory
  const iso = () => clock().toISOString()

  const view = ({ email, customFields }: Contact, subscriber: Subscriber): SubscriberView => {
    const status = statusAt(subscriber, iso())
    return SubscriberView.parse({
      email,
      customFields,
      status,
      ...(status === 'paused' && { pausedUntil: subscriber.pausedUntil }),
    })
  }

  /** Memberships with their contacts, in the same order, by one read. */
  const withContacts = async (projectId: string, memberships: readonly Subscriber[]) => {
    const found = await directory.settled(
      projectId,
      await collected(contacts.each({ _id: memberships.map((one) => one.contactId) })),
    )
    const byId = new Map(found.map((contact) => [contact._id, contact]))
    return memberships.flatMap((subscriber) => {
      const contact = byId.get(subscriber.contactId)
      return contact ? [{ contact, subscriber }] : []
    })
  }

  /** A page of a list's memberships, sorted by address. */
  const byAddress = async (
    projectId: string,
    list: NonNullable<ContactQuestion['list']>,
    { order, ...page }: Pick<ContactQuestion, 'skip' | 'limit' | 'now'> & Pick<ContactQuestion['sort'], 'order'>,
  ): Promise<Page<SubscriberView>> => {
    const { subscriberListId } = list
    const question = { projectId, where: {}, list, segments: [], sort: { by: 'email', order }, ...page } as const
    const { items, count } = await contactSearch.page(question)
    const found = await collected(subscribers.each({ subscriberListId, contactId: items.map(({ _id }) => _id) }))
    const byContact = new Map(found.map((subscriber) => [subscriber.contactId, subscriber]))
    return {
      items: (await directory.settled(projectId, items)).flatMap((contact) => {
        const subscriber = byContact.get(contact._id)
        return subscriber ? [view(contact, subscriber)] : []
      }),
      count,
    }
  }

  return {
    view: async (contact: Contact, subscriber: Subscriber): Promise<SubscriberView> => {
      const [now = contact] = await directory.settled(contact.projectId, [contact])
      return view(now, subscriber)
    },

    /** A page of a list's memberships; `filter` and `sort` take status, pausedUntil, createdAt and email. @throws Refusal `invalid` */
    page: async (
      projectId: string,
      subscriberListId: string,
      query: z.output<typeof ListQueryFields>,
    ): Promise<Page<SubscriberView>> => {
      const { filter: { email, ...filter } = {}, sort, order, skip, limit } = query
      const page = { skip, limit, now: iso() }
      const contact = email === undefined ? undefined : await directory.find(projectId, email)
      const asking = parsedQuery(listFields.shape, { filter, order, sort: sort === 'email' ? undefined : sort })
      const { status, ...stored } = asking.where
      const where: Where<Subscriber> = { ...stored, ...(email !== undefined && { contactId: contact?._id ?? [] }) }
      const members = { subscriberListId, where, ...knownStatus(status) }
      if (sort === 'email') return byAddress(projectId, members, { ...page, order: asking.sort.order })
      const { items, count } = await roster.page({ ...members, ...page, sort: asking.sort as Sort<Subscriber> })
      return { items: (await withContacts(projectId, items)).map((one) => view(one.contact, one.subscriber)), count }
    },
  }
}
