import type { Deliveries, DeliveryQuery, DeliveryWhere } from '@posthorn/core'
import { deliveryOf } from './delivery-rows.js'
import type { Parameter, SqliteDatabase } from './sqlite-database.js'

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
  sentAt,
  since,
  marked = {},
  times = {},
}: DeliveryWhere): readonly Condition[] => [
  ['email_id = ?', emailId],
  ['project_id = ?', projectId],
  ...(email === undefined ? [] : [['email = ?', email] as const]),
  ...(status === undefined ? [] : [[`status IN (${status.map(() => '?').join(', ')})`, ...status] as const]),
  ...(sentAt === undefined ? [] : [['sent_at = ?', sentAt] as const]),
  ...(since === undefined ? [] : [['updated_at >= ?', since] as const]),
  ...Object.entries(marked).map(([mark, has]): Condition => [`${mark} IS ${has ? 'NOT NULL' : 'NULL'}`]),
  ...Object.entries(times).map(([mark, n]): Condition => [`coalesce(${mark}, 0) = ?`, n]),
]

/** A page of an email's deliveries, by the index on its emails. */
export const deliveriesPage =
  ({ statement }: SqliteDatabase): Deliveries['list'] =>
  async ({ where, by, order, skip, limit }) => {
    const conditions = conditionsOf(where)
    const fits = conditions.map(([sql]) => sql).join(' AND ')
    const parameters = conditions.flatMap(([, ...values]) => values)
    const sorting = `${columns[by]} ${order}, _id ${order}`
    return {
      items: statement(`SELECT * FROM deliveries WHERE ${fits} ORDER BY ${sorting} LIMIT ? OFFSET ?`)
        .all(...parameters, limit, skip)
        .map(deliveryOf),
      count: Number(statement(`SELECT count(*) AS n FROM deliveries WHERE ${fits}`).get(...parameters)?.n),
    }
  }
