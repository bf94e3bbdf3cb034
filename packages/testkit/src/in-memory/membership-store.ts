import {
  type Contact,
  type MembershipStore,
  type MembershipToAdd,
  type MemberUpsertFailure,
  type MissingContactOrList,
  type Subscriber,
  type SubscriberList,
  subscriberStatusAt,
  subscriberWithoutOwedEvent,
} from '@posthorn/core/ports/storage'
import type { InMemorySums } from './figures.js'
import { recordComparator } from './repository.js'
import { type InMemoryTable, keyWasFree } from './table.js'

type Beside = {
  readonly sums: InMemorySums
  readonly contacts: InMemoryTable<Contact>
  readonly subscriberLists: InMemoryTable<SubscriberList>
  readonly subscribers: InMemoryTable<Subscriber>
}

/** Memberships in memory. Every method is synchronous, hence atomic. */
export const inMemoryMembershipStore = ({ contacts, subscriberLists, subscribers, sums }: Beside): MembershipStore => {
  const missing = ({ projectId, contactId, subscriberListId }: Subscriber): MissingContactOrList | undefined => {
    if (!contacts.get({ _id: contactId, projectId })) return 'contact'
    return subscriberLists.get({ _id: subscriberListId, projectId }) ? undefined : 'list'
  }

  const upsertMember = ({ contact, membership }: MembershipToAdd): MemberUpsertFailure | undefined => {
    if (contact && !keyWasFree(() => contacts.add(contact))) return 'taken'
    const gone = membership && missing(membership)
    if (membership && !gone) keyWasFree(() => subscribers.add(membership))
    return gone
  }

  return {
    isAtomic: true,

    join: async (membership) => {
      const gone = missing(membership)
      if (!gone) subscribers.add(membership)
      return gone
    },

    upsertMembers: async (upserts) => upserts.map(upsertMember),

    settleOwed: async ({ _id }, eventId, figures) => {
      let isOwed = false
      subscribers.change({ _id }, (current) => {
        const after = subscriberWithoutOwedEvent(current, eventId)
        isOwed = after !== current
        return after
      })
      if (isOwed) figures.forEach(sums.add)
      return isOwed
    },

    removeContact: async ({ _id, projectId }) => {
      const removed = contacts.remove({ _id, projectId })
      if (removed) subscribers.removeAll({ contactId: _id })
      return removed
    },

    removeList: async (list) => {
      const removed = subscriberLists.remove(list)
      if (removed) subscribers.removeAll({ subscriberListId: removed._id })
      return removed
    },

    page: async ({ subscriberListId, where, status, sort, skip, limit, now }) => {
      const all = [...subscribers.fits({ ...where, subscriberListId })]
        .filter((one) => status === undefined || subscriberStatusAt(one, now) === status)
        .sort(recordComparator(sort))
      return { items: structuredClone(all.slice(skip, skip + limit)), count: all.length }
    },

    tally: async (subscriberListId, now) => {
      const counts = { unverified: 0, active: 0, paused: 0, unsubscribed: 0 }
      for (const one of subscribers.fits({ subscriberListId })) counts[subscriberStatusAt(one, now)] += 1
      return counts
    },
  }
}
