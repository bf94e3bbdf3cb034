import type { Deliveries, DeliveryQuery, DeliveryWhere } from '@posthorn/core/ports/storage'
import type { Read } from '../database/readers.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { Parameter } from '../database/statement.js'
import { accountOwner } from '../records/account-owner.js'
import { fewRows, readHere } from '../records/sqlite-reading.js'
import { deliveryOf } from './delivery-rows.js'

type Condition = readonly [sql: string, ...parameters: readonly Parameter[]]

const columns = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  sentAt: 'sent_at',
  email: 'email',
} as const satisfies Record<DeliveryQuery['by'], string>

const conditionsOf = ({
  emailId,
  projectId,
  email,
  status,
  reason,
  sentAt,
  undelivered,
  since,
  marked = {},
  times = {},
}: DeliveryWhere): readonly Condition[] => [
  ['email_id = ?', emailId],
  ['project_id = ?', projectId],
  ...(email === undefined ? [] : [['email = ?', email] as const]),
  ...(status === undefined ? [] : [[`status IN (${status.map(() => '?').join(', ')})`, ...status] as const]),
  ...(reason === undefined ? [] : [['reason = ?', reason] as const]),
  ...(sentAt === undefined ? [] : [['sent_at = ?', sentAt] as const]),
  // Must repeat the partial index's condition literally, or SQLite does not use that index.
  ...(undelivered === undefined ? [] : [["(status = 'failed' OR returned IS NOT NULL)"] as const]),
  ...(since === undefined ? [] : [['updated_at >= ?', since] as const]),
  ...Object.entries(marked).map(([mark, has]): Condition => [`${mark} IS ${has ? 'NOT NULL' : 'NULL'}`]),
  ...Object.entries(times).map(([mark, n]): Condition => [`coalesce(${mark}, 0) = ?`, n]),
]

/** Emails with more than `fewRows` deliveries are read in another thread. */
const readingFor = (database: SqliteDatabase, { emailId, projectId }: DeliveryWhere): Read => {
  const [row] = database
    .statement(`SELECT count(*) AS n FROM (SELECT 1 FROM deliveries WHERE email_id = ? LIMIT ${fewRows + 1})`)
    .all(emailId)
  if (Number(row?.n) <= fewRows) return readHere(database)
  return database.readers.request(accountOwner(database)({ projectId }) ?? projectId)
}

/** A page of an email's deliveries, read by the index on `email_id`. */
export const deliveriesPage =
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
    return { items: page.map(deliveryOf), count: Number(counted?.n) }
  }
