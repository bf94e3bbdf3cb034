import {
  type Deliveries,
  type DeliveryStatus,
  deliveryStatuses,
  type ExclusionReason,
} from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { deliveryOf } from './delivery-rows.js'
import { dispatchSlices } from './dispatch-slices.js'

const isOpen = `dispatch_id = ? AND status IN ('queued', 'sending', 'uncertain')`
const openSql = `SELECT 1 FROM deliveries WHERE ${isOpen} LIMIT 1`
const untriedSql = `SELECT 1 FROM deliveries WHERE ${isOpen} AND (attempts > 0 AND error_name IS NOT NULL) = 0 LIMIT 1`

const tallySql = `SELECT status, reason, count(*) AS n FROM deliveries WHERE _id > ? AND _id <= ? GROUP BY status, reason`
const eachSql = `SELECT * FROM deliveries WHERE _id > ? AND _id <= ? AND status = ? ORDER BY _id`

/** Queries the progress and the rows of a dispatch. */
export const dispatchState = ({
  statement,
}: Pick<SqliteDatabase, 'statement'>): Pick<Deliveries, 'open' | 'untried' | 'tally' | 'each'> => {
  const walk = dispatchSlices({ statement })

  return {
    open: async (dispatchId) => statement(openSql).get(dispatchId) !== undefined,

    untried: async (dispatchId) => statement(untriedSql).get(dispatchId) !== undefined,

    tally: async (dispatchId) => {
      const byStatus = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<
        DeliveryStatus,
        number
      >
      const excluded: Partial<Record<ExclusionReason, number>> = {}
      for await (const { after, upTo } of walk(dispatchId))
        for (const row of statement(tallySql).all(after, upTo)) {
          const { status, reason, n } = row as { status: DeliveryStatus; reason: ExclusionReason | null; n: number }
          byStatus[status] += n
          if (reason) excluded[reason] = (excluded[reason] ?? 0) + n
        }
      return { byStatus, excluded }
    },

    each: async function* (dispatchId, status) {
      for await (const { after, upTo } of walk(dispatchId))
        yield* statement(eachSql).all(after, upTo, status).map(deliveryOf)
    },
  }
}
