import {
  KeyTaken,
  type MembershipStore,
  type MembershipToAdd,
  type MemberUpsertFailure,
  type MissingContactOrList,
  type Repositories,
  type Repository,
  type StoredRecord,
  type Subscriber,
  type SubscriberStatus,
  subscriberWithoutOwedEvent,
} from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'
import type { MongoDatabase } from '../connection/mongo-database.js'
import { retried } from '../connection/retries.js'
import { pageFindOptions, queryInTime } from '../connection/time-limits.js'
import type { LedgerSteps } from '../ledger/step.js'
import { filterOf, recordOfDocument, type StoredDocument } from '../records/documents.js'

/** A paused member is active again when the pause ends. */
const memberStatusFilter = (status: SubscriberStatus, now: string): Document => {
  if (status === 'active') return { $or: [{ status }, { status: 'paused', pausedUntil: { $lte: now } }] }
  if (status === 'paused') return { status, pausedUntil: { $not: { $lte: now } } }
  return { status }
}

/** All must hold. */
export const memberFilters = (
  where: object,
  status: SubscriberStatus | undefined,
  now: string,
): readonly Document[] => [filterOf(where), ...(status ? [memberStatusFilter(status, now)] : [])]

type Named = { readonly _id: string; readonly projectId: string }
const keyOf = ({ _id, projectId }: Named) => `${projectId} ${_id}`
const contactOf = ({ projectId, contactId }: Subscriber): Named => ({ projectId, _id: contactId })
const listOf = ({ projectId, subscriberListId }: Subscriber): Named => ({ projectId, _id: subscriberListId })

type Records = Pick<Repositories, 'contacts' | 'subscriberLists' | 'subscribers'>

/**
 * Without transactions, a join checks after its write whether contact and list still exist, or else removes the membership; a removal
 * deletes memberships before and after the record. In every interleaving, one of the two sees the other.
 */
export const mongoMembershipStore = (
  { collection }: Pick<MongoDatabase, 'collection'>,
  { contacts, subscriberLists, subscribers }: Records,
  steps: Pick<LedgerSteps, 'run'>,
): MembershipStore => {
  const documents = collection<StoredDocument>('subscribers')

  const missing = async ({
    projectId,
    contactId,
    subscriberListId,
  }: Subscriber): Promise<MissingContactOrList | undefined> => {
    const [contact, list] = await Promise.all([
      contacts.get({ _id: contactId, projectId }),
      subscriberLists.get({ _id: subscriberListId, projectId }),
    ])
    return contact ? (list ? undefined : 'list') : 'contact'
  }

  const join = async (membership: Subscriber): Promise<MissingContactOrList | undefined> => {
    const before = await missing(membership)
    if (before) return before
    await subscribers.add(membership)
    const after = await missing(membership)
    if (after) await subscribers.remove({ _id: membership._id })
    return after
  }

  const there = async (of: 'contacts' | 'subscriberLists', named: readonly Named[]): Promise<ReadonlySet<string>> => {
    const found = [...new Set(named.map((one) => one.projectId))].map((projectId) => {
      const ids = new Set(named.filter((one) => one.projectId === projectId).map(({ _id }) => _id))
      const options = { projection: { projectId: 1 }, batchSize: ids.size + 1 } as const
      const where = { projectId, _id: { $in: [...ids].sort() } }
      return retried(() => collection<Named>(of).find(where, options).toArray())
    })
    return new Set((await Promise.all(found)).flat().map(keyOf))
  }

  /** The missing contact or list of each membership. Contacts that `isThere` accepts are not queried. */
  const missingOf = async (
    memberships: readonly Subscriber[],
    isThere: (membership: Subscriber) => boolean = () => false,
  ): Promise<ReadonlyMap<Subscriber, MissingContactOrList>> => {
    const [people, lists] = await Promise.all([
      there('contacts', memberships.filter((one) => !isThere(one)).map(contactOf)),
      there('subscriberLists', memberships.map(listOf)),
    ])
    const gone = new Map<Subscriber, MissingContactOrList>()
    for (const one of memberships) {
      if (!isThere(one) && !people.has(keyOf(contactOf(one)))) gone.set(one, 'contact')
      else if (!lists.has(keyOf(listOf(one)))) gone.set(one, 'list')
    }
    return gone
  }

  const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

  const added = async <T extends StoredRecord>(
    repository: Pick<Repository<T>, 'add'>,
    several: readonly T[],
  ): Promise<ReadonlyMap<T, 'taken' | Error>> => {
    const results = await Promise.allSettled(several.map((one) => repository.add(one)))
    return new Map(
      several.flatMap((one, n) => {
        const result = results[n]
        if (result?.status !== 'rejected') return []
        return [[one, result.reason instanceof KeyTaken ? 'taken' : asError(result.reason)] as const]
      }),
    )
  }

  /** As `join`, for many; checks contacts and lists before and after. */
  const upsertMembers = async (
    upserts: readonly MembershipToAdd[],
  ): Promise<readonly (MemberUpsertFailure | undefined)[]> => {
    const fresh = upserts.flatMap(({ contact }) => contact ?? [])
    const refused = await added(contacts, fresh)
    const isAdded = ({ contact }: MembershipToAdd) => contact !== undefined && !refused.has(contact)
    const wanted = upserts.filter((one) => one.membership && (!one.contact || isAdded(one)))
    const about = new Map(wanted.map(({ contact, membership }) => [membership, contact]))
    const memberships = wanted.flatMap(({ membership }) => membership ?? [])
    const isNew = (one: Subscriber) => {
      const contact = about.get(one)
      return contact?._id === one.contactId && contact.projectId === one.projectId
    }

    const before = await missingOf(memberships, isNew)
    const joining = memberships.filter((one) => !before.has(one))
    const kept = await added(subscribers, joining)
    const joined = joining.filter((one) => !kept.has(one))
    const after = await missingOf(joined)
    if (after.size > 0) await subscribers.removeAll({ _id: [...after.keys()].map(({ _id }) => _id) })

    return upserts.map(({ contact, membership }) => {
      const refusal = contact && refused.get(contact)
      if (refusal || !membership) return refusal
      const failure = kept.get(membership)
      return before.get(membership) ?? after.get(membership) ?? (failure === 'taken' ? undefined : failure)
    })
  }

  const count = (filter: Document) => queryInTime(() => documents.countDocuments(filter))

  return {
    /** A crash can prevent the last write of a removal or an undone join. */
    isAtomic: false,

    join,

    upsertMembers,

    settleOwed: async ({ _id, subscriberListId, contactId }, eventId, figures) => {
      const key = { subscriberListId, contactId }
      for (;;) {
        const found = await retried(() => documents.findOne({ _id, ...key }))
        if (!found) return false
        const before = recordOfDocument<Subscriber>(found)
        const after = subscriberWithoutOwedEvent(before, eventId)
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

    removeList: async (list) => {
      const { _id } = list
      if (!(await subscriberLists.get(list))) return undefined
      await subscribers.removeAll({ subscriberListId: _id })
      const removed = await subscriberLists.remove(list)
      await subscribers.removeAll({ subscriberListId: _id })
      return removed
    },

    page: async ({ subscriberListId, where, status, sort: { by, order }, skip, limit, now }) => {
      const filter: Document = { $and: memberFilters({ ...where, subscriberListId }, status, now) }
      const direction = order === 'asc' ? 1 : -1
      const page = {
        sort: { [by]: direction, _id: direction },
        ...pageFindOptions({ skip, limit }),
        allowDiskUse: true,
      } as const
      const [found, total] = await Promise.all([
        queryInTime(() => documents.find(filter, page).toArray()),
        count(filter),
      ])
      return { items: found.map((one) => recordOfDocument<Subscriber>(one)), count: total }
    },

    tally: async (subscriberListId, now) => {
      const of = (status: SubscriberStatus) => count({ $and: [{ subscriberListId }, memberStatusFilter(status, now)] })
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
