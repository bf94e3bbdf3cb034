import {
  compareTexts,
  type DeliveryMark,
  type DeliveryStatus,
  type DispatchResults,
  deliveryMarks,
  deliveryStatuses,
  type ExclusionReason,
  type FailureCount,
  mostFailures,
  type ResultCounts,
} from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { Row } from '../database/statement.js'
import { deliveryOf } from './delivery-rows.js'
import { dispatchSlices } from './dispatch-slices.js'

const countSql = `SELECT status, reason, iif(status = 'failed', error_name, NULL) AS error, iif(status = 'failed', error_message, NULL) AS message, count(*) AS n,
  ${deliveryMarks.map((mark) => `count(${mark}) AS ${mark}_mails, total(${mark}) AS ${mark}_times`).join(', ')}
  FROM deliveries WHERE _id > ? AND _id <= ? GROUP BY 1, 2, 3, 4`

const pageSql = `SELECT * FROM deliveries WHERE _id > ? AND _id < ? AND +status IN (SELECT value FROM json_each(?)) ORDER BY _id LIMIT ?`

/** Limits memory, because reasons are texts of relays: further distinct reasons are not listed. */
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
    add: (row: Row): void => {
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
        .sort((a, b) => b.mails - a.mails || compareTexts(a.name, b.name) || compareTexts(a.message, b.message))
        .slice(0, mostFailures),
      marks,
    }),
  }
}

/** The rows of a dispatch are adjacent in the key, because their ids begin with its id. They are counted in slices and paged by the key. */
export const sqliteDispatchResults = ({ statement }: SqliteDatabase): DispatchResults => {
  const walk = dispatchSlices({ statement })

  return {
    count: async (dispatchIds) => {
      const { add, all } = sums()
      for (const dispatchId of new Set(dispatchIds))
        for await (const { after, upTo } of walk(dispatchId)) statement(countSql).all(after, upTo).forEach(add)
      return all()
    },

    page: async ({ dispatchId, status = deliveryStatuses }, after = `${dispatchId}:`, limit) =>
      statement(pageSql).all(after, `${dispatchId};`, JSON.stringify(status), limit).map(deliveryOf),
  }
}
