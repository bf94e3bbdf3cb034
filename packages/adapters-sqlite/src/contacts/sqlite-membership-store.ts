import {
  type Contact,
  type MembershipStore,
  type MembershipToAdd,
  type MemberUpsertFailure,
  type MissingContactOrList,
  records,
  StoreUnavailable,
  type Subscriber,
  type SubscriberList,
  type SubscriberStatus,
  subscriberWithoutOwedEvent,
} from '@posthorn/core/ports/storage'
import { type SqlFragment, sql, sqlJoinedByAnd } from '../database/sql.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { SqlWriteStep, WriterThread } from '../database/writer.js'
import type { FiguresWithinCommit } from '../ledger/sqlite-figures.js'
import { queryThreadRouter } from '../records/query-routing.js'
import { documentRecordMapping, keyColumnsOf, type RecordTableKeys } from '../records/record-table.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'
import { orderSql, readSqlPage, whereSql } from '../records/where-sql.js'
import type { ContactSegmentIndex } from '../segment-index/segment-index.js'

const insertSql = (collection: string, keys: RecordTableKeys) => {
  const fields = ['_id', ...keyColumnsOf(keys)]
  return `INSERT INTO "${collection}" (${[...fields.map((field) => `"${field}"`), 'doc'].join(', ')})
    SELECT ${[...fields.map((field) => `e.value ->> '${field}'`), 'e.value'].join(', ')} FROM jsonb_each(?) e`
}

const insertContacts = insertSql('contacts', records.contacts)
const insertSubscribers = insertSql('subscribers', records.subscribers)
const countLists = 'SELECT count(*) AS n FROM "subscriberLists" WHERE _id = ? AND "projectId" = ?'
const countContacts = `SELECT count(*) AS n FROM json_each(?) e CROSS JOIN contacts c
  ON c._id = e.value ->> 0 AND c."projectId" = e.value ->> 1`

export const isContactOfSubscriber = ({ contactId, projectId }: Subscriber, contact: Contact | undefined): boolean =>
  contact?._id === contactId && contact.projectId === projectId

const inserting = (sql: string, added: readonly unknown[]): readonly SqlWriteStep[] =>
  added.length > 0 ? [{ sql, parameters: [JSON.stringify(added)], changes: added.length }] : []

/** All or none. Undefined if an id has no short key or a custom field no column yet. */
export const memberUpsertSteps = (
  { stepsOf }: Pick<ContactSegmentIndex, 'stepsOf'>,
  upserts: readonly MembershipToAdd[],
): readonly SqlWriteStep[] | undefined => {
  const [contacts, memberships, ofOthers]: [Contact[], Subscriber[], string[][]] = [[], [], []]
  const lists: (readonly [string, string])[] = []
  for (const { contact, membership } of upserts) {
    if (contact) contacts.push(contact)
    if (!membership) continue
    const { contactId, projectId, subscriberListId } = membership
    memberships.push(membership)
    if (!isContactOfSubscriber(membership, contact)) ofOthers.push([contactId, projectId])
    if (!lists.some(([list, project]) => list === subscriberListId && project === projectId))
      lists.push([subscriberListId, projectId])
  }
  const columns = stepsOf({ contacts, memberships })
  return (
    columns && [
      ...lists.map((parameters) => ({ sql: countLists, parameters, counts: 1 })),
      ...(ofOthers.length > 0
        ? [{ sql: countContacts, parameters: [JSON.stringify(ofOthers)], counts: ofOthers.length }]
        : []),
      ...inserting(insertContacts, contacts),
      ...inserting(insertSubscribers, memberships),
      ...columns,
    ]
  )
}

/** A paused member is active again when the pause ends. */
export const subscriberStatusSql = (status: SubscriberStatus, now: string): SqlFragment => {
  if (status === 'active') return sql`(status = 'active' OR (status = 'paused' AND "pausedUntil" <= ${now}))`
  if (status === 'paused') return sql`(status = 'paused' AND ("pausedUntil" IS NULL OR "pausedUntil" > ${now}))`
  return sql`status = ${status}`
}

export type MembershipStoreDeps = {
  readonly index: Pick<ContactSegmentIndex, 'stepsOf' | 'tally' | 'batch'>
  readonly database: SqliteDatabase
  readonly writer: Pick<WriterThread, 'write'>
  readonly contacts: SqliteRepository<Contact>
  readonly subscriberLists: SqliteRepository<SubscriberList>
  readonly subscribers: SqliteRepository<Subscriber>
  readonly figures: FiguresWithinCommit
}

const form = documentRecordMapping<Subscriber>(records.subscribers)

/** Stored as paused, but active. */
export const countEndedSubscriberPausesSql = (subscriberListId: string, now: string) =>
  sql`SELECT count(*) AS n FROM subscribers WHERE "subscriberListId" = ${subscriberListId} AND status = 'paused' AND "pausedUntil" <= ${now}`

const first = <T>([one]: readonly T[]): T | undefined => one
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** From this number on, the writer thread adds them; fewer take the main thread some ms. */
const many = 100
/** In characters: the thread has 64 MB for the text and its parsed form. */
const longestWrite = 8_000_000

const lengthOf = (steps: readonly SqlWriteStep[]): number =>
  steps.reduce(
    (sum, { parameters }) =>
      parameters.reduce<number>((all, one) => all + (typeof one === 'string' ? one.length : 0), sum),
    0,
  )

/** Each join, and each removal of a contact, is one commit. */
export const sqliteMembershipStore = ({
  database,
  writer,
  index: { stepsOf, tally, batch },
  contacts,
  subscriberLists,
  subscribers,
  figures,
}: MembershipStoreDeps): MembershipStore => {
  const reading = queryThreadRouter(database, 'subscribers', records.subscribers)

  const isThere = ({ projectId, subscriberListId }: Subscriber): boolean =>
    subscriberLists.within.has({ _id: subscriberListId, projectId })

  const missingList = (membership: Subscriber, hasList: typeof isThere): MissingContactOrList | undefined =>
    hasList(membership) ? undefined : 'list'

  const missing = (membership: Subscriber, hasList: typeof isThere): MissingContactOrList | undefined => {
    const { projectId, contactId } = membership
    if (!contacts.within.has({ _id: contactId, projectId })) return 'contact'
    return missingList(membership, hasList)
  }

  const upsertMember = (
    { contact, membership }: MembershipToAdd,
    hasList: typeof isThere,
  ): MemberUpsertFailure | undefined => {
    if (contact && !contacts.within.addNew(contact)) return 'taken'
    const gone = membership && (isContactOfSubscriber(membership, contact) ? missingList : missing)(membership, hasList)
    if (membership && !gone) subscribers.within.addNew(membership)
    return gone
  }

  const upsertTogether = (upserts: readonly MembershipToAdd[]) =>
    database.write(() => {
      // Lists cannot change within one write.
      let last: { readonly of: Subscriber; readonly isThere: boolean } | undefined
      const hasList = (membership: Subscriber): boolean => {
        const { projectId, subscriberListId } = membership
        if (last?.of.subscriberListId !== subscriberListId || last.of.projectId !== projectId)
          last = { of: membership, isThere: isThere(membership) }
        return last.isThere
      }
      return batch(() => upserts.map((one) => upsertMember(one, hasList)))
    })

  /** False if nothing was written. @throws Error if the outcome is unknown */
  const upsertByWriter = async (upserts: readonly MembershipToAdd[]): Promise<boolean> => {
    const steps = upserts.length < many ? undefined : memberUpsertSteps({ stepsOf }, upserts)
    if (!steps || lengthOf(steps) > longestWrite) return false
    return database.elsewhere(() => writer.write(steps))
  }

  const upsertHere = (upserts: readonly MembershipToAdd[]) =>
    upsertTogether(upserts).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) throw error
      return Promise.all(upserts.map((one) => upsertTogether([one]).then(first, asError)))
    })

  return {
    isAtomic: true,

    join: (membership) =>
      database.write(() => {
        const gone = missing(membership, isThere)
        if (!gone) subscribers.within.add(membership)
        return gone
      }),

    upsertMembers: async (upserts) => {
      const failures: (MemberUpsertFailure | undefined)[] = []
      for (let rest = upserts; rest.length > 0; rest = rest.slice(many)) {
        if (await upsertByWriter(rest)) return [...failures, ...rest.map(() => undefined)]
        // These also create the short keys and columns that the thread lacked.
        failures.push(...(await upsertHere(rest.slice(0, many))))
      }
      return failures
    },

    settleOwed: ({ _id }, eventId, added) =>
      database.write(() => {
        let isOwed = false
        subscribers.within.change({ _id }, (current) => {
          const after = subscriberWithoutOwedEvent(current, eventId)
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
      // Many commits let other writes run; the last one removes members that joined since.
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
      const fits = sqlJoinedByAnd([
        whereSql(wanted, form.columns),
        ...(status ? [subscriberStatusSql(status, now)] : []),
      ])
      const order = orderSql(sort.by, sort.order, form.columns)
      return readSqlPage(read, 'subscribers', form, fits, order, { skip, limit })
    },

    tally: async (subscriberListId, now) => {
      const [unverified, active, paused, unsubscribed] = [
        tally(subscriberListId, 'unverified'),
        tally(subscriberListId, 'active'),
        tally(subscriberListId, 'paused'),
        tally(subscriberListId, 'unsubscribed'),
      ]
      const [counted] =
        paused > 0 ? await reading({ subscriberListId })(countEndedSubscriberPausesSql(subscriberListId, now)) : []
      const over = Number(counted?.n ?? 0)
      return { unverified, active: active + over, paused: paused - over, unsubscribed }
    },
  }
}
