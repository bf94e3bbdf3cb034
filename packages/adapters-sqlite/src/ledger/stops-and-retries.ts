import { type Deliveries, type Dispatch, mayRetry, moveDispatch } from '@posthorn/core/ports/storage'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'
import type { RowChanges } from './row-changes.js'
import type { CounterSteps } from './sqlite-counters.js'

/** Rows of a dispatch that one commit changes; other writes run between two commits. */
const sliceSize = 5_000

const stopSql = `UPDATE deliveries SET status = ?1, reason = ?2, error_name = coalesce(?3, error_name),
  error_message = iif(?3 IS NULL, error_message, ?4), updated_at = ?5 WHERE _id IN (
  SELECT _id FROM deliveries WHERE dispatch_id = ?6 AND status = 'queued' LIMIT ${sliceSize})`

const failedSql = `SELECT _id FROM deliveries WHERE dispatch_id = ? AND status = 'failed' LIMIT ${sliceSize}`
const retrySql = `UPDATE deliveries SET status = 'queued', attempts = 0, not_before = ?, updated_at = ? WHERE _id IN (${failedSql})`

type Deps = {
  readonly database: SqliteDatabase
  readonly changed: RowChanges
  readonly dispatches: SqliteRepository<Dispatch>
  readonly counters: CounterSteps
}

/** Stops or retries all deliveries of a dispatch, and gives back or takes their credit. */
export const stopsAndRetries = ({
  database: { statement, write },
  changed,
  dispatches,
  counters,
}: Deps): Pick<Deliveries, 'stop' | 'retryFailed'> => ({
  /** Large dispatches need several commits. Each is consistent by itself; after an interruption, the next call continues. */
  stop: async (dispatchId, refund, now, error) => {
    const end = error ? ['failed', null, error.name, error.message] : ['excluded', 'stopped', null, null]
    for (let stopped = 0; ; ) {
      const n = await write(() => {
        const excluded = changed(stopSql, ...end, now, dispatchId)
        if (excluded > 0) counters.give({ key: refund, n: excluded })
        return excluded
      })
      stopped += n
      if (n < sliceSize) return stopped
    }
  },

  retryFailed: async ({ dispatchId, credit, now }) => {
    for (let again = 0; ; ) {
      const { n, refused } = await write(() => {
        const dispatch = dispatches.within.get({ _id: dispatchId })
        const failed = dispatch && mayRetry(dispatch) ? statement(failedSql).all(dispatchId).length : 0
        const unpaid = failed > 0 ? counters.take([{ ...credit, n: failed }]) : undefined
        if (unpaid || failed === 0) return { n: 0, refused: unpaid }
        dispatches.within.change({ _id: dispatchId }, (current) => moveDispatch(current, 'retry', now))
        return { n: changed(retrySql, now, now, dispatchId), refused: undefined }
      })
      again += n
      if (refused) return { again, refused }
      if (n < sliceSize) return { again }
    }
  },
})
