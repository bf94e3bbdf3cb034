import {
  type Contact,
  type MembershipStore,
  type MemberUpsert,
  type MemberUpsertFailure,
  type Missing,
  records,
  StoreUnavailable,
  type Subscriber,
  type SubscriberList,
  withoutOwed,
} from '@posthorn/core/ports/storage'
import type { ContactColumns } from '../columns/contact-columns.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { Step, WritingThread } from '../database/writing-thread.js'
import type { FigureSteps } from '../ledger/sqlite-figures.js'
import { formOf } from '../records/record-form.js'
import { orderSql, pageOf } from '../records/sqlite-page.js'
import { readingOf } from '../records/sqlite-reading.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'
import { both, whereSql } from '../records/sqlite-where.js'
import { isAbout, memberUpsertSteps } from './member-upsert-steps.js'
import { statusSql } from './sqlite-subscriber-status.js'

export type MembershipStoreDeps = {
  readonly columns: Pick<ContactColumns, 'stepsOf' | 'tally' | 'together'>
  readonly database: SqliteDatabase
  readonly thread: Pick<WritingThread, 'write'>
  readonly contacts: SqliteRepository<Contact>
  readonly subscriberLists: SqliteRepository<SubscriberList>
  readonly subscribers: SqliteRepository<Subscriber>
  readonly figures: FigureSteps
}

const form = formOf<Subscriber>(records.subscribers)

/** Counts ended pauses: their members are active, although still stored as paused. */
export const overSql = `SELECT count(*) AS n FROM subscribers WHERE "subscriberListId" = ? AND status = 'paused' AND "pausedUntil" <= ?`

const first = <T>([one]: readonly T[]): T | undefined => one
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** Number of upserts from which the writing thread is used. */
const many = 100
/** Limit on one write of the thread, in characters: the thread has 64 MB for the text and everything parsed from it. */
const longestWrite = 8_000_000

const lengthOf = (steps: readonly Step[]): number =>
  steps.reduce(
    (sum, { parameters }) =>
      parameters.reduce<number>((all, one) => all + (typeof one === 'string' ? one.length : 0), sum),
    0,
  )

/** Memberships in the records' tables. Each join, and each removal of a contact, is one atomic write. */
export const sqliteMembershipStore = ({
  database,
  thread,
  columns: { stepsOf, tally, together },
  contacts,
  subscriberLists,
  subscribers,
  figures,
}: MembershipStoreDeps): MembershipStore => {
  const reading = readingOf(database, 'subscribers', records.subscribers)

  const isThere = ({ projectId, subscriberListId }: Subscriber): boolean =>
    subscriberLists.within.has({ _id: subscriberListId, projectId })

  const missingList = (membership: Subscriber, hasList: typeof isThere): Missing | undefined =>
    hasList(membership) ? undefined : 'list'

  const missing = (membership: Subscriber, hasList: typeof isThere): Missing | undefined => {
    const { projectId, contactId } = membership
    if (!contacts.within.has({ _id: contactId, projectId })) return 'contact'
    return missingList(membership, hasList)
  }

  const upsertMember = (
    { contact, membership }: MemberUpsert,
    hasList: typeof isThere,
  ): MemberUpsertFailure | undefined => {
    if (contact && !contacts.within.addNew(contact)) return 'taken'
    const gone = membership && (isAbout(membership, contact) ? missingList : missing)(membership, hasList)
    if (membership && !gone) subscribers.within.addNew(membership)
    return gone
  }

  const upsertTogether = (upserts: readonly MemberUpsert[]) =>
    database.write(() => {
      // Lists cannot change within one write, so one look-up per list suffices.
      let last: { readonly of: Subscriber; readonly isThere: boolean } | undefined
      const hasList = (membership: Subscriber): boolean => {
        const { projectId, subscriberListId } = membership
        if (last?.of.subscriberListId !== subscriberListId || last.of.projectId !== projectId)
          last = { of: membership, isThere: isThere(membership) }
        return last.isThere
      }
      return together(() => upserts.map((one) => upsertMember(one, hasList)))
    })

  /** Returns true if all upserts are durable, false if none was written. @throws Error if the outcome is unknown */
  const upsertInThread = async (upserts: readonly MemberUpsert[]): Promise<boolean> => {
    const steps = upserts.length < many ? undefined : memberUpsertSteps({ stepsOf }, upserts)
    if (!steps || lengthOf(steps) > longestWrite) return false
    return database.elsewhere(() => thread.write(steps))
  }

  return {
    isAtomic: true,

    join: (membership) =>
      database.write(() => {
        const gone = missing(membership, isThere)
        if (!gone) subscribers.within.add(membership)
        return gone
      }),

    upsertMembers: async (upserts) => {
      if (await upsertInThread(upserts)) return upserts.map(() => undefined)
      return upsertTogether(upserts).catch((error: unknown) => {
        if (error instanceof StoreUnavailable) throw error
        return Promise.all(upserts.map((one) => upsertTogether([one]).then(first, asError)))
      })
    },

    settleOwed: ({ _id }, eventId, added) =>
      database.write(() => {
        let isOwed = false
        subscribers.within.change({ _id }, (current) => {
          const after = withoutOwed(current, eventId)
          isOwed = after !== current
          return after
        })
        if (isOwed) figures.add(added)
        return isOwed
      }),

    removeContact: ({ _id, projectId }) =>
      database.write(() => {
        const removed = contacts.within.remove({ _id, projectId })
        if (removed) database.statement('DELETE FROM subscribers WHERE "contactId" = ?').run(_id)
        return removed
      }),

    removeList: async (list) => {
      const { _id } = list
      if (!(await subscriberLists.get(list))) return undefined
      // First in many commits, so that other writes need not wait for a large list; the last commit removes members that joined since.
      await subscribers.removeAll({ subscriberListId: _id })
      return database.write(() => {
        const removed = subscriberLists.within.remove(list)
        if (removed) database.statement('DELETE FROM subscribers WHERE "subscriberListId" = ?').run(_id)
        return removed
      })
    },

    page: async ({ subscriberListId, where, status, sort, skip, limit, now }) => {
      const wanted = { ...where, subscriberListId }
      const read = reading(wanted, status === undefined ? { by: sort.by, skip } : undefined)
      const fits = both([whereSql(wanted, form.columns), ...(status ? [statusSql(status, now)] : [])])
      const order = orderSql(sort.by, sort.order, form.columns)
      return pageOf(read, 'subscribers', form, fits, order, { skip, limit })
    },

    tally: async (subscriberListId, now) => {
      const [unverified, active, paused, unsubscribed] = [
        tally(subscriberListId, 'unverified'),
        tally(subscriberListId, 'active'),
        tally(subscriberListId, 'paused'),
        tally(subscriberListId, 'unsubscribed'),
      ]
      const [counted] = paused > 0 ? await reading({ subscriberListId })(overSql, subscriberListId, now) : []
      const over = Number(counted?.n ?? 0)
      return { unverified, active: active + over, paused: paused - over, unsubscribed }
    },
  }
}
