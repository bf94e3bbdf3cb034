import {
  compareByTurn,
  type Deliveries,
  type DeliveryStatus,
  type Lane,
  type QueueKey,
} from '@posthorn/core/ports/storage'
import type { RunStatement } from '../database/connection.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { deliveryOfRow } from './delivery-rows.js'
import type { WorkerLivenessLocks } from './worker-locks.js'

const lanes: readonly Lane[] = ['transactional', 'bulk']

/** Jumps from queue to queue; with a row value, SQLite would scan all deliveries. */
const nextProject = `SELECT project_id FROM deliveries
  WHERE status = 'queued' AND lane = ? AND project_id > ? ORDER BY project_id LIMIT 1`
const isDue = `SELECT 1 FROM deliveries WHERE status = 'queued' AND lane = ? AND project_id = ? AND not_before <= ? LIMIT 1`

/** Only partial indexes, except for the lane of sending or uncertain deliveries. */
const backlogSql = (['queued', 'sending', 'uncertain'] as const)
  .map(
    (status) =>
      `SELECT '${status}' AS status, lane, count(*) AS n, min(not_before) AS oldest FROM deliveries WHERE status = '${status}' GROUP BY lane`,
  )
  .join(' UNION ALL ')

const claimSql = `UPDATE deliveries SET status = 'sending', worker = ?, lease_until = ?, updated_at = ? WHERE _id IN (
  SELECT _id FROM deliveries WHERE status = 'queued' AND lane = ? AND project_id = ? AND not_before <= ?
  ORDER BY not_before, _id LIMIT ?) RETURNING *`

const renewSql = `UPDATE deliveries SET lease_until = ? WHERE _id IN (SELECT value FROM json_each(?))
  AND +status = 'sending' AND worker = ? RETURNING _id`

const abandonSql = `UPDATE deliveries SET lease_until = ?1 WHERE status = 'sending' AND lease_until > ?1
  AND worker IN (SELECT value FROM json_each(?2))`

const isLost = `status = 'sending' AND lease_until <= ?`
const isOverdue = `status = 'uncertain' AND not_before <= ?`

const lostSql = `SELECT DISTINCT dispatch_id FROM deliveries WHERE ${isLost}`
const loseSql = `UPDATE deliveries SET status = 'uncertain', attempts = attempts + 1, worker = NULL, lease_until = NULL, updated_at = ?1,
  not_before = iif(dispatch_id IN (SELECT value FROM json_each(?3)), ?1, ?2) WHERE status = 'sending' AND lease_until <= ?1`

type Deps = { readonly database: SqliteDatabase; readonly changed: RunStatement; readonly locks: WorkerLivenessLocks }

export const deliveryQueues = ({
  database,
  changed,
  locks,
}: Deps): Pick<Deliveries, 'backlog' | 'due' | 'claim' | 'renew' | 'dispatchesOfDeadLeases' | 'reclaim'> => {
  const { statement, write } = database
  return {
    backlog: async () => {
      const found = await database.readers.request('backlog')(backlogSql)
      return lanes.map((lane) => {
        const of = (status: DeliveryStatus) => found.find((row) => row.status === status && row.lane === lane)
        const count = (status: DeliveryStatus) => Number(of(status)?.n ?? 0)
        const oldest = of('queued')?.oldest
        return {
          lane,
          queued: count('queued'),
          sending: count('sending'),
          uncertain: count('uncertain'),
          ...(typeof oldest === 'string' && { oldest }),
        }
      })
    },

    due: async (now) => {
      const queues: QueueKey[] = []
      for (const lane of lanes)
        for (let projectId = ''; ; ) {
          const row = statement(nextProject).get(lane, projectId)
          if (!row) break
          projectId = String(row.project_id)
          if (statement(isDue).get(lane, projectId, now)) queues.push({ lane, projectId })
        }
      return queues
    },

    claim: ({ queue: { lane, projectId }, worker, now, leaseUntil, limit }) => {
      locks.hold(worker)
      return write(() =>
        statement(claimSql)
          .all(worker, leaseUntil, now, lane, projectId, now, limit)
          .map(deliveryOfRow)
          .sort(compareByTurn),
      )
    },

    renew: (ids, worker, leaseUntil) =>
      write(() => {
        const renewed = statement(renewSql).all(leaseUntil, JSON.stringify(ids), worker)
        const still = new Set(renewed.map(({ _id }) => String(_id)))
        return ids.filter((id) => still.has(id))
      }),

    /** First ends the leases of workers whose process has ended. */
    dispatchesOfDeadLeases: async (now) => {
      await locks.takeOver(async (gone) => {
        await write(() => statement(abandonSql).run(now, JSON.stringify(gone)))
      })
      return statement(lostSql)
        .all(now)
        .map((row) => String(row.dispatch_id))
    },

    reclaim: async (now, graceUntil, withoutReports = []) => {
      const some = statement(
        `SELECT 1 FROM deliveries WHERE ${isLost} UNION ALL SELECT 1 FROM deliveries WHERE ${isOverdue} LIMIT 1`,
      ).get(now, now)
      if (!some) return { lost: 0, queued: 0 }
      return write(() => {
        const lost = changed(loseSql, now, graceUntil, JSON.stringify(withoutReports))
        const queued = changed(`UPDATE deliveries SET status = 'queued', updated_at = ? WHERE ${isOverdue}`, now, now)
        return { lost, queued }
      })
    },
  }
}
