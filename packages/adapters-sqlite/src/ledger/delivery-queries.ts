import {
  type Deliveries,
  type DeliveryQuery,
  type DeliveryStatus,
  type DeliveryWhere,
  type DispatchResults,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
  resultCounter,
} from '@posthorn/core/ports/storage'
import type { ReadSqlRows } from '../database/readers.js'
import { joinedSql, rawSql, type SqlFragment, sql, sqlJoinedByAnd } from '../database/sql.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { mostMainThreadQueryRows, queryAccountLookup, readOnMainThread } from '../records/query-routing.js'
import { deliveryOfRow } from './delivery-rows.js'
import { deliverySlicesOfDispatch } from './dispatches.js'

const columns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  sentAt: 'sent_at',
  email: 'email',
} as const satisfies Record<DeliveryQuery['by'], string>

type Condition<F extends keyof DeliveryWhere> = (wanted: NonNullable<DeliveryWhere[F]>) => SqlFragment

const conditions: { readonly [F in keyof DeliveryWhere]-?: Condition<F> } = {
  _id: (id) => sql`_id = ${id}`,
  emailId: (id) => sql`email_id = ${id}`,
  // SQLite needs the index's literal expression. ASCII, as addresses are.
  address: (address) => sql`lower(email) = ${address}`,
  projectId: (id) => sql`project_id = ${id}`,
  dispatchId: (id) => sql`dispatch_id = ${id}`,
  status: (several) =>
    sql`status IN (${joinedSql(
      several.map((status) => sql`${status}`),
      ', ',
    )})`,
  reason: (reason) => sql`reason = ${reason}`,
  createdAt: (at) => sql`created_at = ${at}`,
  sentAt: (at) => sql`sent_at = ${at}`,
  tag: (tag) => sql`EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ${tag})`,
  // Must repeat the partial index's condition literally, or SQLite does not use that index.
  undelivered: () => sql`(status = 'failed' OR returned IS NOT NULL)`,
  since: (at) => sql`updated_at >= ${at}`,
  marked: (marks) =>
    sqlJoinedByAnd(Object.entries(marks).map(([mark, has]) => rawSql(`${mark} IS ${has ? 'NOT NULL' : 'NULL'}`))),
  times: (marks) => sqlJoinedByAnd(Object.entries(marks).map(([mark, n]) => sql`coalesce(${rawSql(mark)}, 0) = ${n}`)),
}

const conditionsOf = (where: DeliveryWhere): SqlFragment =>
  sqlJoinedByAnd(
    Object.entries(where).flatMap(([field, wanted]) =>
      wanted === undefined ? [] : [conditions[field as keyof DeliveryWhere](wanted as never)],
    ),
  )

const readingFor = (database: SqliteDatabase, { emailId, address = '', projectId }: DeliveryWhere): ReadSqlRows => {
  const { text, parameters } = emailId === undefined ? conditions.address(address) : conditions.emailId(emailId)
  const [row] = database
    .statement(
      `SELECT count(*) AS n FROM (SELECT 1 FROM deliveries WHERE ${text} LIMIT ${mostMainThreadQueryRows + 1})`,
    )
    .all(...parameters)
  if (Number(row?.n) <= mostMainThreadQueryRows) return readOnMainThread(database)
  return database.readers.request(queryAccountLookup(database)({ projectId }) ?? projectId)
}

export const sqliteDeliveriesPage =
  (database: SqliteDatabase): Deliveries['list'] =>
  async ({ where, by, order, skip, limit }) => {
    const read = readingFor(database, where)
    const fitting = sql`FROM deliveries WHERE ${read.check} AND ${conditionsOf(where)}`
    const sorting = rawSql(`${columns[by]} ${order}, _id ${order}`)
    const [counted] = await read(sql`SELECT count(*) AS n ${fitting}`)
    const page = await read(sql`SELECT * ${fitting} ORDER BY ${sorting} LIMIT ${limit} OFFSET ${skip}`)
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

type CountedRow = {
  readonly status: DeliveryStatus
  readonly reason: ExclusionReason | null
  readonly error: string | null
  readonly message: string | null
  readonly n: number
}

/** Deliveries are adjacent in the key: their ids begin with the dispatch's. */
export const sqliteDispatchResults = ({ statement }: SqliteDatabase): DispatchResults => {
  const walk = deliverySlicesOfDispatch({ statement })

  return {
    count: async (dispatchIds) => {
      const { add, addFailure, addMark, results } = resultCounter()
      for (const dispatchId of new Set(dispatchIds))
        for await (const { after, upTo } of walk(dispatchId))
          for (const row of statement(countSql).all(after, upTo)) {
            const { status, reason, error, message, n } = row as CountedRow
            add(status, reason, n)
            if (error !== null) addFailure({ name: error, message: message ?? '', mails: n })
            for (const mark of deliveryMarks)
              addMark(mark, { mails: Number(row[`${mark}_mails`]), times: Number(row[`${mark}_times`]) })
          }
      return results()
    },

    page: async ({ dispatchId, status = deliveryStatuses }, after = `${dispatchId}:`, limit) =>
      statement(pageSql).all(after, `${dispatchId};`, JSON.stringify(status), limit).map(deliveryOfRow),
  }
}
