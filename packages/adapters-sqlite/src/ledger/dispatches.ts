import {
  type Deliveries,
  type DeliveryStatus,
  type Dispatch,
  type ExclusionReason,
  mayRetryDispatch,
  moveDispatch,
  resultCounter,
} from '@posthorn/core/ports/storage'
import type { RunStatement } from '../database/connection.js'
import { type KeySlice, keySlices } from '../database/slices.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'
import { deliveryOfRow } from './delivery-rows.js'
import type { CounterSteps } from './sqlite-counters.js'

const rowsPerSlice = 5_000

const endOfSlice = `SELECT max(_id) AS "end" FROM (
  SELECT _id FROM deliveries WHERE _id > ? AND _id < ? ORDER BY _id LIMIT ${rowsPerSlice})`

/** Walks over a dispatch's deliveries, which are adjacent in the key. */
export const deliverySlicesOfDispatch =
  ({ statement }: Pick<SqliteDatabase, 'statement'>) =>
  (dispatchId: string): AsyncGenerator<KeySlice> =>
    keySlices((after) => {
      const end = statement(endOfSlice).get(after, `${dispatchId};`)?.end
      return typeof end === 'string' ? end : undefined
    }, `${dispatchId}:`)

const isOpen = `dispatch_id = ? AND status IN ('queued', 'sending', 'uncertain')`
const openSql = `SELECT 1 FROM deliveries WHERE ${isOpen} LIMIT 1`
const untriedSql = `SELECT 1 FROM deliveries WHERE ${isOpen} AND (attempts > 0 AND error_name IS NOT NULL) = 0 LIMIT 1`

const tallySql = `SELECT status, reason, count(*) AS n FROM deliveries WHERE _id > ? AND _id <= ? GROUP BY status, reason`
const eachSql = `SELECT * FROM deliveries WHERE _id > ? AND _id <= ? AND status = ? ORDER BY _id`

export const dispatchReads = ({
  statement,
}: Pick<SqliteDatabase, 'statement'>): Pick<Deliveries, 'open' | 'untried' | 'tally' | 'each'> => {
  const walk = deliverySlicesOfDispatch({ statement })

  return {
    open: async (dispatchId) => statement(openSql).get(dispatchId) !== undefined,

    untried: async (dispatchId) => statement(untriedSql).get(dispatchId) !== undefined,

    tally: async (dispatchId) => {
      const { add, tally } = resultCounter()
      for await (const { after, upTo } of walk(dispatchId))
        for (const row of statement(tallySql).all(after, upTo)) {
          const { status, reason, n } = row as { status: DeliveryStatus; reason: ExclusionReason | null; n: number }
          add(status, reason, n)
        }
      return tally()
    },

    each: async function* (dispatchId, status) {
      for await (const { after, upTo } of walk(dispatchId))
        yield* statement(eachSql).all(after, upTo, status).map(deliveryOfRow)
    },
  }
}

const rowsPerCommit = 5_000

const stopSql = `UPDATE deliveries SET status = ?1, reason = ?2, error_name = coalesce(?3, error_name),
  error_message = iif(?3 IS NULL, error_message, ?4), updated_at = ?5 WHERE _id IN (
  SELECT _id FROM deliveries WHERE dispatch_id = ?6 AND status = 'queued' LIMIT ${rowsPerCommit})`

/** ?2: pairs of name and message as JSON, ?3: one delivery; null for all. */
const failedSql = `SELECT _id FROM deliveries WHERE dispatch_id = ?1 AND status = 'failed' AND (?2 IS NULL OR EXISTS (
  SELECT 1 FROM json_each(?2) WHERE json_extract(value, '$[0]') = error_name
    AND json_extract(value, '$[1]') = error_message)) AND (?3 IS NULL OR _id = ?3) LIMIT ${rowsPerCommit}`
const retrySql = `UPDATE deliveries SET status = 'queued', attempts = 0, not_before = ?4, updated_at = ?4 WHERE _id IN (${failedSql})`

type StopDeps = {
  readonly database: SqliteDatabase
  readonly changed: RunStatement
  readonly dispatches: SqliteRepository<Dispatch>
  readonly counters: CounterSteps
}

export const dispatchStopsAndRetries = ({
  database: { statement, write },
  changed,
  dispatches,
  counters,
}: StopDeps): Pick<Deliveries, 'stop' | 'retryFailed'> => ({
  /** Several consistent commits; after an interruption the next call continues. */
  stop: async (dispatchId, refund, now, error) => {
    const end = error ? ['failed', null, error.name, error.message] : ['excluded', 'stopped', null, null]
    for (let stopped = 0; ; ) {
      const n = await write(() => {
        const excluded = changed(stopSql, ...end, now, dispatchId)
        if (excluded > 0) counters.give({ key: refund, n: excluded })
        return excluded
      })
      stopped += n
      if (n < rowsPerCommit) return stopped
    }
  },

  retryFailed: async ({ dispatchId, credit, reasons, deliveryId = null, now }) => {
    const chosen = reasons ? JSON.stringify(reasons.map(({ name, message }) => [name, message])) : null
    for (let again = 0; ; ) {
      const { n, refused } = await write(() => {
        const dispatch = dispatches.within.get({ _id: dispatchId })
        const mayGoOn = dispatch && mayRetryDispatch(dispatch, again > 0)
        const failed = mayGoOn ? statement(failedSql).all(dispatchId, chosen, deliveryId).length : 0
        const unpaid = failed > 0 ? counters.take([{ ...credit, n: failed }]) : undefined
        if (unpaid || failed === 0) return { n: 0, refused: unpaid }
        dispatches.within.change({ _id: dispatchId }, (current) => moveDispatch(current, 'retry', now))
        return { n: changed(retrySql, dispatchId, chosen, deliveryId, now), refused: undefined }
      })
      again += n
      if (refused) return { again, refused }
      if (n < rowsPerCommit) return { again }
    }
  },
})

const pruneSql = `DELETE FROM deliveries WHERE _id IN (SELECT _id FROM deliveries WHERE _id > ?1 || ':' AND _id < ?1 || ';'
  AND status IN ('sent', 'failed', 'excluded') AND (?3 IS NULL OR updated_at < ?3) LIMIT ?2)`
const anySql = `SELECT 1 FROM deliveries WHERE _id > ?1 || ':' AND _id < ?1 || ';' LIMIT 1`

type PruneDeps = { readonly database: SqliteDatabase; readonly changed: RunStatement }

export const deliveryPruning = ({ database: { statement, write }, changed }: PruneDeps): Pick<Deliveries, 'prune'> => ({
  prune: (dispatchIds, limit, before) =>
    write(() => {
      let removed = 0
      for (const id of dispatchIds)
        if (removed < limit) removed += changed(pruneSql, id, limit - removed, before ?? null)
      return { removed, gone: dispatchIds.filter((id) => !statement(anySql).get(id)) }
    }),
})
