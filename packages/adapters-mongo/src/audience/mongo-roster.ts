import {
  type Enrolment,
  type EnrolmentFailure,
  KeyTaken,
  type Missing,
  type Repositories,
  type Roster,
  type Subscriber,
  type SubscriberStatus,
  withoutOwed,
} from '@posthorn/core/ports'
import type { Document } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { retried } from '../connection/retried.js'
import type { Steps } from '../ledger/step.js'
import { recordOf, type StoredDocument } from '../repository/document.js'
import { filterOf } from '../repository/where-filter.js'
import { statusFilter } from './subscriber-status.js'

type Records = Pick<Repositories, 'contacts' | 'subscriberLists' | 'subscribers'>

/**
 * Memberships on the records' own collections. A single server has no transactions: who joins looks, after the membership is written,
 * whether its contact and list are still there, and takes it back where they are not; who removes takes the memberships before and
 * after. Whatever comes between, one of the two sees the other.
 */
export const mongoRoster = (
  { collection }: Pick<MongoDatabase, 'collection'>,
  { contacts, subscriberLists, subscribers }: Records,
  steps: Pick<Steps, 'run'>,
): Roster => {
  const documents = collection<StoredDocument>('subscribers')

  const missing = async ({ projectId, contactId, subscriberListId }: Subscriber): Promise<Missing | undefined> => {
    const [contact, list] = await Promise.all([
      contacts.get({ _id: contactId, projectId }),
      subscriberLists.get({ _id: subscriberListId, projectId }),
    ])
    return contact ? (list ? undefined : 'list') : 'contact'
  }

  const join = async (membership: Subscriber): Promise<Missing | undefined> => {
    const before = await missing(membership)
    if (before) return before
    await subscribers.add(membership)
    const after = await missing(membership)
    if (after) await subscribers.remove({ _id: membership._id })
    return after
  }

  const joinOnce = (membership: Subscriber): Promise<Missing | undefined> =>
    join(membership).catch((error: unknown) => {
      if (!(error instanceof KeyTaken)) throw error
      return undefined
    })

  const enrolled = async ({ contact, membership }: Enrolment): Promise<EnrolmentFailure | undefined> => {
    try {
      if (contact) await contacts.add(contact)
      return membership && (await joinOnce(membership))
    } catch (error) {
      if (error instanceof KeyTaken) return 'taken'
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  const count = (filter: Document) => retried(() => documents.countDocuments(filter))

  return {
    /** Without transactions the last write of a removal, or of a join that comes too late, may be missing. */
    isAtomic: false,

    join,

    enrol: (enrolments) => Promise.all(enrolments.map(enrolled)),

    settleOwed: async ({ _id, subscriberListId, contactId }, eventId, figures) => {
      const key = { subscriberListId, contactId }
      for (;;) {
        const found = await retried(() => documents.findOne({ _id, ...key }))
        if (!found) return false
        const before = recordOf<Subscriber>(found)
        const after = withoutOwed(before, eventId)
        if (after === before) return false
        const { made } = await steps.run({
          moves: [
            {
              ...{ in: 'subscribers', _id, where: { ...key, _revision: found._revision ?? null } },
              ...(after.owed ? { set: { owed: after.owed } } : { set: {}, unset: ['owed', 'owes'] }),
              brings: { figures },
            },
          ],
        })
        if (made.length > 0) return true
      }
    },

    removeContact: async ({ _id, projectId }) => {
      if (!(await contacts.get({ _id, projectId }))) return undefined
      await subscribers.removeAll({ contactId: _id })
      const removed = await contacts.remove({ _id, projectId })
      await subscribers.removeAll({ contactId: _id })
      return removed
    },

    removeList: async ({ _id, projectId }) => {
      if (!(await subscriberLists.get({ _id, projectId }))) return undefined
      await subscribers.removeAll({ subscriberListId: _id })
      const removed = await subscriberLists.remove({ _id, projectId })
      await subscribers.removeAll({ subscriberListId: _id })
      return removed
    },

    page: async ({ subscriberListId, where, status, sort: { by, order }, skip, limit, now }) => {
      const conditions = [filterOf({ ...where, subscriberListId }), ...(status ? [statusFilter(status, now)] : [])]
      const filter: Document = { $and: conditions }
      const direction = order === 'asc' ? 1 : -1
      const page = { sort: { [by]: direction, _id: direction }, skip, limit, allowDiskUse: true } as const
      const [found, total] = await Promise.all([retried(() => documents.find(filter, page).toArray()), count(filter)])
      return { items: found.map((one) => recordOf<Subscriber>(one)), count: total }
    },

    tally: async (subscriberListId, now) => {
      const of = (status: SubscriberStatus) => count({ $and: [{ subscriberListId }, statusFilter(status, now)] })
      const [unverified, active, paused, unsubscribed] = await Promise.all([
        of('unverified'),
        of('active'),
        of('paused'),
        of('unsubscribed'),
      ])
      return { unverified, active, paused, unsubscribed }
    },
  }
}
