import {
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  deliveryStatuses,
  type ExclusionReason,
  figuresOf,
  isNewLink,
  type Lane,
  mayRetry,
  moveDispatch,
  type Queue,
  withMark,
  withNames,
} from '@posthorn/core/ports'
import { slices } from '../database/slices.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import type { Parameter } from '../database/statement.js'
import type { SqliteRepository } from '../records/sqlite-repository.js'
import { deliveryOf, insertNewbornsSql, insertSql, isNewborn, newbornRowsOf, valuesOf } from './delivery-rows.js'
import type { CounterSteps } from './sqlite-counters.js'
import { deliveriesPage } from './sqlite-deliveries-page.js'
import type { FigureSteps } from './sqlite-figures.js'
import { settleSteps } from './sqlite-settling.js'
import type { WorkerLocks } from './worker-locks.js'

type Deps = {
  readonly database: SqliteDatabase
  readonly dispatches: SqliteRepository<Dispatch>
  readonly counters: CounterSteps
  readonly figures: FigureSteps
  readonly locks: WorkerLocks
}

/** How many rows of a dispatch are read, or stopped, before other things have their turn. */
const sliceSize = 5_000

const lanes: readonly Lane[] = ['transactional', 'bulk']

/** From queue to queue, however many deliveries wait in each. (Given a row value, SQLite would walk through all of them.) */
const nextProject = `SELECT project_id FROM deliveries
  WHERE status = 'queued' AND lane = ? AND project_id > ? ORDER BY project_id LIMIT 1`
const isDue = `SELECT 1 FROM deliveries WHERE status = 'queued' AND lane = ? AND project_id = ? AND not_before <= ? LIMIT 1`

/** By the partial indexes alone, but for the lane of what is being sent or uncertain. */
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

/** The leases of those who are gone end now. */
const abandonSql = `UPDATE deliveries SET lease_until = ?1 WHERE status = 'sending' AND lease_until > ?1
  AND worker IN (SELECT value FROM json_each(?2))`

const isLost = `status = 'sending' AND lease_until <= ?`
const isOverdue = `status = 'uncertain' AND not_before <= ?`

const lostSql = `SELECT DISTINCT dispatch_id FROM deliveries WHERE ${isLost}`
const loseSql = `UPDATE deliveries SET status = 'uncertain', attempts = attempts + 1, worker = NULL, lease_until = NULL, updated_at = ?1,
  not_before = iif(dispatch_id IN (SELECT value FROM json_each(?3)), ?1, ?2) WHERE status = 'sending' AND lease_until <= ?1`

const reportSql = `UPDATE deliveries SET status = 'sent', provider_message_id = ?, sent_at = ?, updated_at = ?, error_name = NULL,
  error_message = NULL WHERE _id = ? AND status = 'uncertain'`

const stopSql = `UPDATE deliveries SET status = ?1, reason = ?2, error_name = coalesce(?3, error_name),
  error_message = iif(?3 IS NULL, error_message, ?4), updated_at = ?5 WHERE _id IN (
  SELECT _id FROM deliveries WHERE dispatch_id = ?6 AND status = 'queued' LIMIT ${sliceSize})`

const rejectSql = `UPDATE deliveries SET status = 'failed', sent_at = NULL, error_name = ?, error_message = ?, updated_at = ?
  WHERE _id = ? AND status = 'sent'`

const failedSql = `SELECT _id FROM deliveries WHERE dispatch_id = ? AND status = 'failed' LIMIT ${sliceSize}`
const retrySql = `UPDATE deliveries SET status = 'queued', attempts = 0, not_before = ?, updated_at = ? WHERE _id IN (${failedSql})`

const isOpen = `dispatch_id = ? AND status IN ('queued', 'sending', 'uncertain')`
const openSql = `SELECT 1 FROM deliveries WHERE ${isOpen} LIMIT 1`
const untriedSql = `SELECT 1 FROM deliveries WHERE ${isOpen} AND (attempts > 0 AND error_name IS NOT NULL) = 0 LIMIT 1`

/** A dispatch's rows stand together, because their ids begin with its id. */
const pruneSql = `DELETE FROM deliveries WHERE _id IN (SELECT _id FROM deliveries WHERE _id > ?1 || ':' AND _id < ?1 || ';'
  AND status IN ('sent', 'failed', 'excluded') AND (?3 IS NULL OR updated_at < ?3) LIMIT ?2)`
const anySql = `SELECT 1 FROM deliveries WHERE _id > ?1 || ':' AND _id < ?1 || ';' LIMIT 1`

const endOfSlice = `SELECT max(_id) AS "end" FROM (
  SELECT _id FROM deliveries WHERE _id > ? AND _id < ? ORDER BY _id LIMIT ${sliceSize})`

const tallySql = `SELECT status, reason, count(*) AS n FROM deliveries WHERE _id > ? AND _id <= ? GROUP BY status, reason`
const eachSql = `SELECT * FROM deliveries WHERE _id > ? AND _id <= ? AND status = ? ORDER BY _id`

const byTurn = (a: Delivery, b: Delivery) =>
  a.notBefore < b.notBefore ? -1 : a.notBefore > b.notBefore ? 1 : a._id < b._id ? -1 : 1

/** The delivery ledger on one table of real columns, with partial indexes for what is queued, sending, uncertain and failed. */
export const sqliteDeliveries = ({ database, dispatches, counters, figures, locks }: Deps): Deliveries => {
  const { statement, write } = database

  const settle = settleSteps({ database, counters, figures })

  /** Answers those of them that were added now and are somebody's to send. */
  const add = (deliveries: readonly Delivery[]): readonly string[] => {
    const added = deliveries.every(isNewborn)
      ? newbornRowsOf(deliveries).flatMap(({ own, shared }) => statement(insertNewbornsSql).all(own, ...shared))
      : deliveries.flatMap((delivery) => statement(insertSql).all(...valuesOf(delivery)))
    const leased = new Set(deliveries.flatMap(({ _id, status }) => (status === 'sending' ? [_id] : [])))
    return leased.size === 0 ? [] : added.flatMap(({ _id }) => (leased.has(String(_id)) ? [String(_id)] : []))
  }

  const changed = (sql: string, ...parameters: readonly Parameter[]) =>
    Number(statement(sql).run(...parameters).changes)

  /** A dispatch's rows stand together, because their ids begin with its id. */
  const walk = (dispatchId: string) =>
    slices((after) => {
      const end = statement(endOfSlice).get(after, `${dispatchId};`)?.end
      return typeof end === 'string' ? end : undefined
    }, `${dispatchId}:`)

  return {
    accept: ({ dispatch, deliveries, takes, isHeld = false }) =>
      write(() => {
        const there = dispatches.within.get({ _id: dispatch._id })
        if (isHeld ? there?.stage !== 'held' : there) return undefined
        const refused = counters.take(takes)
        if (refused) return refused
        if (there) dispatches.within.change({ _id: there._id }, ({ creditsHeld }) => ({ ...dispatch, creditsHeld }))
        else dispatches.within.add(dispatch)
        add(deliveries)
        return undefined
      }),

    hold: ({ dispatch, key, limit }) =>
      write(() => {
        const there = dispatches.within.get({ _id: dispatch._id })
        if (there && there.stage !== 'held') return undefined
        const more = dispatch.creditsHeld - (there?.creditsHeld ?? 0)
        const refused = more > 0 ? counters.take([{ key, n: more, limit }]) : undefined
        if (refused) return refused
        if (more < 0) counters.give({ key, n: -more })
        if (there) dispatches.within.change({ _id: there._id }, () => dispatch)
        else dispatches.within.add(dispatch)
        return undefined
      }),

    release: (dispatchId, refund, now) =>
      write(() => {
        const there = dispatches.within.get({ _id: dispatchId, stage: 'held' })
        if (!there) return false
        dispatches.within.change({ _id: dispatchId }, (one) => ({ ...moveDispatch(one, 'stop', now), creditsHeld: 0 }))
        counters.give({ key: refund, n: there.creditsHeld })
        return true
      }),

    expand: ({ dispatchId, after, cursor, stage, deliveries, creditsHeld, takes, refund, now }) => {
      for (const worker of new Set(deliveries.flatMap((one) => one.worker ?? []))) locks.hold(worker)
      return write(() => {
        const there = dispatches.within.get({ _id: dispatchId })
        if (there?.stage !== 'expanding' || there.cursor !== after) return undefined
        if (takes && counters.take([takes])) return undefined
        const moved = { cursor, stage, creditsHeld, progressAt: now, updatedAt: now }
        dispatches.within.change({ _id: dispatchId }, (dispatch) => ({ ...dispatch, ...moved }))
        const leased = add(deliveries)
        if (refund) counters.give(refund)
        return leased
      })
    },

    backlog: async () => {
      const found = await database.readers.read('backlog', backlogSql)
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
      const queues: Queue[] = []
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
        statement(claimSql).all(worker, leaseUntil, now, lane, projectId, now, limit).map(deliveryOf).sort(byTurn),
      )
    },

    renew: (ids, worker, leaseUntil) =>
      write(() => {
        const renewed = statement(renewSql).all(leaseUntil, JSON.stringify(ids), worker)
        const still = new Set(renewed.map(({ _id }) => String(_id)))
        return ids.filter((id) => still.has(id))
      }),

    settle: (settlements) => write(() => settle(settlements)),

    /** The leases of workers whose process has ended are over now. */
    lost: async (now) => {
      await locks.takeOver(async (gone) => {
        await write(() => statement(abandonSql).run(now, JSON.stringify(gone)))
      })
      return statement(lostSql)
        .all(now)
        .map((row) => String(row.dispatch_id))
    },

    reclaim: async (now, graceUntil, atOnce = []) => {
      const some = statement(
        `SELECT 1 FROM deliveries WHERE ${isLost} UNION ALL SELECT 1 FROM deliveries WHERE ${isOverdue} LIMIT 1`,
      ).get(now, now)
      if (!some) return 0
      return write(() => {
        const lost = changed(loseSql, now, graceUntil, JSON.stringify(atOnce))
        changed(`UPDATE deliveries SET status = 'queued', updated_at = ? WHERE ${isOverdue}`, now, now)
        return lost
      })
    },

    report: (id, providerMessageId, now, counted) =>
      write(() => {
        const reported = changed(reportSql, providerMessageId, now, now, id) > 0
        if (reported) figures.add(figuresOf(counted, now))
        return reported
      }),

    reject: (id, error, now, sums) =>
      write(() => {
        const rejected = changed(rejectSql, error.name, error.message, now, id) > 0
        if (rejected) figures.add(sums)
        return rejected
      }),

    mark: ({ _id, mark, name, returned, now, link, counted }) =>
      write(() => {
        const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(_id)
        if (!row) return undefined
        const before = deliveryOf(row)
        const after = withMark(before, { mark, name, now, link, returned })
        if (after === before) return before
        const { [mark]: times = 0, markNames, clickedLinks } = after
        statement(`UPDATE deliveries SET ${mark} = ?, mark_names = ?, clicked_links = ? WHERE _id = ?`).run(
          times,
          markNames ? JSON.stringify(markNames) : null,
          clickedLinks ? JSON.stringify(clickedLinks) : null,
          _id,
        )
        if (returned)
          statement('UPDATE deliveries SET returned = ?, updated_at = ? WHERE _id = ?').run(
            JSON.stringify(returned),
            now,
            _id,
          )
        figures.add(figuresOf(counted(times, isNewLink(before, link)), now))
        return after
      }),

    countOnce: (id, counts) =>
      write(() => {
        const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(id)
        if (!row) return
        const { after, fresh } = withNames(
          deliveryOf(row),
          counts.map(({ name }) => name),
        )
        if (fresh.size === 0) return
        statement('UPDATE deliveries SET mark_names = ? WHERE _id = ?').run(JSON.stringify(after.markNames), id)
        figures.add(counts.flatMap((one) => (fresh.has(one.name) ? one.figures : [])))
      }),

    get: async (id) => {
      const row = statement('SELECT * FROM deliveries WHERE _id = ?').get(id)
      return row && deliveryOf(row)
    },

    list: deliveriesPage(database),

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

    /** In several commits where there is much: each is right by itself, and the next call goes on. */
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

    prune: (dispatchIds, limit, before) =>
      write(() => {
        let removed = 0
        for (const id of dispatchIds)
          if (removed < limit) removed += changed(pruneSql, id, limit - removed, before ?? null)
        return { removed, gone: dispatchIds.filter((id) => !statement(anySql).get(id)) }
      }),

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
  }
}
