import { type Contact, type Roster, type Subscriber, type SubscriberList, statusAt } from '@posthorn/core'
import { inOrder } from './repository.js'
import type { InMemoryTable } from './table.js'

type Tables = {
  readonly contacts: InMemoryTable<Contact>
  readonly subscriberLists: InMemoryTable<SubscriberList>
  readonly subscribers: InMemoryTable<Subscriber>
}

/** Memberships in memory. Every verb is done when it returns: nothing comes between. */
export const inMemoryRoster = ({ contacts, subscriberLists, subscribers }: Tables): Roster => ({
  isAtomic: true,

  join: async (membership) => {
    const { projectId, contactId, subscriberListId } = membership
    if (!contacts.get({ _id: contactId, projectId })) return 'contact'
    if (!subscriberLists.get({ _id: subscriberListId, projectId })) return 'list'
    subscribers.add(membership)
    return undefined
  },

  removeContact: async ({ _id, projectId }) => {
    const removed = contacts.remove({ _id, projectId })
    if (removed) subscribers.removeAll({ contactId: _id })
    return removed
  },

  removeList: async ({ _id, projectId }) => {
    const removed = subscriberLists.remove({ _id, projectId })
    if (removed) subscribers.removeAll({ subscriberListId: _id })
    return removed
  },

  page: async ({ subscriberListId, where, status, sort, skip, limit, now }) => {
    const all = [...subscribers.fits({ ...where, subscriberListId })]
      .filter((one) => status === undefined || statusAt(one, now) === status)
      .sort(inOrder(sort))
    return { items: structuredClone(all.slice(skip, skip + limit)), count: all.length }
  },

  tally: async (subscriberListId, now) => {
    const counts = { unverified: 0, active: 0, paused: 0, unsubscribed: 0 }
    for (const one of subscribers.fits({ subscriberListId })) counts[statusAt(one, now)] += 1
    return counts
  },
})
