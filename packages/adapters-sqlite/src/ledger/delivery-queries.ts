import {
  compareByCodePoint,
  type Deliveries,
  type DeliveryMark,
  type DeliveryQuery,
  type DeliveryStatus,
  type DeliveryWhere,
  type DispatchResults,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
  type FailureCount,
  mostListedFailures,
  type ResultCounts,
} from '@posthorn/core/ports/storage'
import type { SqlParameter, SqlRow } from '../database/connection.js'
import type { ReadSqlRows } from '../database/readers.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { mostMainThreadQueryRows, queryAccountLookup, readOnMainThread } from '../records/query-routing.js'
import { deliveryOfRow } from './delivery-rows.js'
import { deliverySlicesOfDispatch } from './dispatches.js'

type Condition = readonly [sql: string, ...parameters: readonly SqlParameter[]]

const columns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  sentAt: 'sent_at',
  email: 'email',
} as const satisfies Record<DeliveryQuery['by'], string>

/** SQLite needs the index's literal expression. ASCII, as addresses are. */
const addressSql = 'lower(email) = ?'

const conditionsOf = ({
  _id,
  emailId,
  address,
  projectId,
  dispatchId,
  status,
  reason,
  createdAt,
  sentAt,
  tag,
  undelivered,
  since,
  marked = {},
  times = {},
}: DeliveryWhere): readonly Condition[] => [
  ...(emailId === undefined ? [] : [['email_id = ?', emailId] as const]),
  ...(address === undefined ? [] : [[addressSql, address] as const]),
  ['project_id = ?', projectId],
  ...(_id === undefined ? [] : [['_id = ?', _id] as const]),
  ...(dispatchId === undefined ? [] : [['dispatch_id = ?', dispatchId] as const]),
  ...(status === undefined ? [] : [[`status IN (${status.map(() => '?').join(', ')})`, ...status] as const]),
  ...(reason === undefined ? [] : [['reason = ?', reason] as const]),
  ...(createdAt === undefined ? [] : [['created_at = ?', createdAt] as const]),
  ...(sentAt === undefined ? [] : [['sent_at = ?', sentAt] as const]),
  ...(tag === undefined ? [] : [['EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)', tag] as const]),
  // Must repeat the partial index's condition literally, or SQLite does not use that index.
  ...(undelivered === undefined ? [] : [["(status = 'failed' OR returned IS NOT NULL)"] as const]),
  ...(since === undefined ? [] : [['updated_at >= ?', since] as const]),
  ...Object.entries(marked).map(([mark, has]): Condition => [`${mark} IS ${has ? 'NOT NULL' : 'NULL'}`]),
  ...Object.entries(times).map(([mark, n]): Condition => [`coalesce(${mark}, 0) = ?`, n]),
]

const readingFor = (database: SqliteDatabase, { emailId, address = '', projectId }: DeliveryWhere): ReadSqlRows => {
  const [indexed, key] = emailId === undefined ? [addressSql, address] : ['email_id = ?', emailId]
  const [row] = database
    .statement(
      `SELECT count(*) AS n FROM (SELECT 1 FROM deliveries WHERE ${indexed} LIMIT ${mostMainThreadQueryRows + 1})`,
    )
    .all(key)
  if (Number(row?.n) <= mostMainThreadQueryRows) return readOnMainThread(database)
  return database.readers.request(queryAccountLookup(database)({ projectId }) ?? projectId)
}

export const sqliteDeliveriesPage =
  (database: SqliteDatabase): Deliveries['list'] =>
  async ({ where, by, order, skip, limit }) => {
    const read = readingFor(database, where)
    const conditions = conditionsOf(where)
    const fits = [read.check, ...conditions.map(([sql]) => sql)].join(' AND ')
    const parameters = conditions.flatMap(([, ...values]) => values)
    const sorting = `${columns[by]} ${order}, _id ${order}`
    const [counted] = await read(`SELECT count(*) AS n FROM deliveries WHERE ${fits}`, ...parameters)
    const page = await read(
      `SELECT * FROM deliveries WHERE ${fits} ORDER BY ${sorting} LIMIT ? OFFSET ?`,
      ...[...parameters, limit, skip],
    )
    return { items: page.map(deliveryOfRow), count: Number(counted?.n) }
  }

const newestSql = (conditions: string) =>
  `SELECT * FROM deliveries WHERE project_id = ? AND created_at >= ? AND (created_at, _id) < (?, ?)${conditions}
  ORDER BY created_at DESC, _id DESC LIMIT ?`
const [newestOfAll, newestFailed] = [newestSql(''), newestSql(" AND status = 'failed'")]

export const newestDeliveries =
  ({ statement }: Pick<SqliteDatabase, 'statement'>): Deliveries['newest'] =>
  async ({ projectId, failed, from = '', before, limit }) =>
    statement(failed ? newestFailed : newestOfAll)
      .all(projectId, from, before.createdAt, before._id, limit)
      .map(deliveryOfRow)

const countSql = `SELECT status, reason, iif(status = 'failed', error_name, NULL) AS error, iif(status = 'failed', error_message, NULL) AS message, count(*) AS n,
  ${deliveryMarks.map((mark) => `count(${mark}) AS ${mark}_mails, total(${mark}) AS ${mark}_times`).join(', ')}
  FROM deliveries WHERE _id > ? AND _id <= ? GROUP BY 1, 2, 3, 4`

const pageSql = `SELECT * FROM deliveries WHERE _id > ? AND _id < ? AND +status IN (SELECT value FROM json_each(?)) ORDER BY _id LIMIT ?`

/** Limits the memory for relays' texts. */
const mostReasons = 1_000

const sums = () => {
  const byStatus = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<DeliveryStatus, number>
  const excluded: Partial<Record<ExclusionReason, number>> = {}
  const failures = new Map<string, FailureCount>()
  const marks = Object.fromEntries(deliveryMarks.map((mark) => [mark, { mails: 0, times: 0 }])) as Record<
    DeliveryMark,
    { mails: number; times: number }
  >

  const addFailure = (name: string, message: string, mails: number) => {
    const key = JSON.stringify([name, message])
    const known = failures.get(key)
    if (!known && failures.size >= mostReasons) return
    failures.set(key, { name, message, mails: mails + (known?.mails ?? 0) })
  }

  return {
    add: (row: SqlRow): void => {
      const n = Number(row.n)
      byStatus[row.status as DeliveryStatus] += n
      if (row.status === 'excluded' && row.reason !== null) {
        const reason = row.reason as ExclusionReason
        excluded[reason] = (excluded[reason] ?? 0) + n
      }
      const { error, message } = row as { readonly error: string | null; readonly message: string | null }
      if (error !== null) addFailure(error, message ?? '', n)
      for (const mark of deliveryMarks) {
        marks[mark].mails += Number(row[`${mark}_mails`])
        marks[mark].times += Number(row[`${mark}_times`])
      }
    },
    all: (): ResultCounts => ({
      byStatus,
      excluded,
      failures: [...failures.values()]
        .sort(
          (a, b) => b.mails - a.mails || compareByCodePoint(a.name, b.name) || compareByCodePoint(a.message, b.message),
        )
        .slice(0, mostListedFailures),
      marks,
    }),
  }
}

/** Deliveries are adjacent in the key: their ids begin with the dispatch's. */
export const sqliteDispatchResults = ({ statement }: SqliteDatabase): DispatchResults => {
  const walk = deliverySlicesOfDispatch({ statement })

  return {
    count: async (dispatchIds) => {
      const { add, all } = sums()
      for (const dispatchId of new Set(dispatchIds))
        for await (const { after, upTo } of walk(dispatchId)) statement(countSql).all(after, upTo).forEach(add)
      return all()
    },

    page: async ({ dispatchId, status = deliveryStatuses }, after = `${dispatchId}:`, limit) =>
      statement(pageSql).all(after, `${dispatchId};`, JSON.stringify(status), limit).map(deliveryOfRow),
  }
}
