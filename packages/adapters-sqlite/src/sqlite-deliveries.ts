import {
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  deliveryStatuses,
  type ExclusionReason,
  type Give,
  type Settlement,
  type Take,
} from '@posthorn/core'
import type { Parameter, Row, SqliteDatabase } from './sqlite-database.js'
import type { SqliteRepository } from './sqlite-repository.js'

type Deps = {
  readonly database: SqliteDatabase
  readonly dispatches: SqliteRepository<Dispatch>
  readonly counters: {
    readonly take: (takes: readonly Take[]) => Take | undefined
    readonly give: (give: Give) => void
  }
}

const pageSize = 500

const insert = `INSERT OR IGNORE INTO deliveries
  (_id, dispatch_id, project_id, lane, email, contact_id, status, attempts, not_before, reason, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const claimSql = `UPDATE deliveries SET status = 'sending', worker = ?, lease_until = ?, updated_at = ? WHERE _id IN (
  SELECT _id FROM deliveries WHERE status = 'queued' AND lane = ? AND project_id = ? AND not_before <= ? ORDER BY not_before, _id LIMIT ?
) RETURNING *`

const settleSql = `UPDATE deliveries SET status = ?, attempts = attempts + ?, updated_at = ?, worker = NULL, lease_until = NULL,
  not_before = coalesce(?, not_before), reason = coalesce(?, reason), error_name = coalesce(?, error_name),
  error_message = coalesce(?, error_message), provider_message_id = coalesce(?, provider_message_id), sent_at = coalesce(?, sent_at)
  WHERE _id = ? AND status = 'sending' AND worker = ?`

/** A dispatch's rows stand together, because their ids begin with its id. */
const ofDispatch = '_id > ? AND _id < ?'
const rangeOf = (dispatchId: string): readonly Parameter[] => [`${dispatchId}:`, `${dispatchId};`]

const deliveryOf = (row: Row): Delivery => {
  const {
    _id,
    dispatch_id,
    project_id,
    lane,
    email,
    contact_id,
    status,
    attempts,
    not_before,
    worker,
    lease_until,
    reason,
  } = row
  const { error_name, error_message, provider_message_id, created_at, updated_at, sent_at } = row
  const error = error_name === null ? undefined : { name: error_name, message: error_message ?? '' }
  const present = {
    contactId: contact_id,
    worker,
    leaseUntil: lease_until,
    reason,
    error: error ?? null,
    providerMessageId: provider_message_id,
    sentAt: sent_at,
  }
  return {
    _id,
    dispatchId: dispatch_id,
    projectId: project_id,
    lane,
    email,
    status,
    attempts: Number(attempts),
    notBefore: not_before,
    createdAt: created_at,
    updatedAt: updated_at,
    ...Object.fromEntries(Object.entries(present).filter(([, value]) => value !== null)),
  } as Delivery
}

const byTurn = (a: Delivery, b: Delivery) =>
  a.notBefore < b.notBefore ? -1 : a.notBefore > b.notBefore ? 1 : a._id < b._id ? -1 : 1

/** The delivery ledger on one table of real columns, with partial indexes for what is queued, sending and uncertain. */
export const sqliteDeliveries = ({ database, dispatches, counters }: Deps): Deliveries => {
  const { statement, write } = database

  const add = (deliveries: readonly Delivery[]) => {
    const one = statement(insert)
    for (const {
      _id,
      dispatchId,
      projectId,
      lane,
      email,
      contactId,
      status,
      attempts,
      notBefore,
      reason,
      createdAt,
      updatedAt,
    } of deliveries)
      one.run(
        _id,
        dispatchId,
        projectId,
        lane,
        email,
        contactId ?? null,
        status,
        attempts,
        notBefore,
        reason ?? null,
        createdAt,
        updatedAt,
      )
  }

  const settleOne = ({
    _id,
    worker,
    to,
    now,
    attempted,
    notBefore,
    reason,
    error,
    providerMessageId,
    refund,
  }: Settlement) => {
    const values = [
      notBefore,
      reason,
      error?.name,
      error?.message,
      providerMessageId,
      to === 'sent' ? now : undefined,
    ].map((value) => value ?? null)
    const { changes } = statement(settleSql).run(to, attempted ? 1 : 0, now, ...values, _id, worker)
    if (Number(changes) > 0 && refund) counters.give({ key: refund, n: 1 })
  }

  return {
    accept: ({ dispatch, deliveries, takes }) =>
      write(() => {
        if (dispatches.within.get({ _id: dispatch._id })) return undefined
        const refused = counters.take(takes)
        if (refused) return refused
        dispatches.within.add(dispatch)
        add(deliveries)
        return undefined
      }),

    expand: ({ dispatchId, after, cursor, stage, deliveries, creditsHeld, refund, now }) =>
      write(() => {
        let moved = false
        dispatches.within.change({ _id: dispatchId }, (dispatch) => {
          moved = dispatch.stage === 'expanding' && dispatch.cursor === after
          return moved ? { ...dispatch, cursor, stage, creditsHeld, progressAt: now, updatedAt: now } : dispatch
        })
        if (!moved) return false
        add(deliveries)
        if (refund) counters.give(refund)
        return true
      }),

    due: async (now) => {
      const next = statement(
        "SELECT lane, project_id FROM deliveries WHERE status = 'queued' AND (lane, project_id) > (?, ?) ORDER BY lane, project_id LIMIT 1",
      )
      const isDue = statement(
        "SELECT 1 FROM deliveries WHERE status = 'queued' AND lane = ? AND project_id = ? AND not_before <= ? LIMIT 1",
      )
      const queues: { lane: Delivery['lane']; projectId: string }[] = []
      for (let row = next.get('', ''); row; ) {
        const [lane, projectId] = [String(row.lane), String(row.project_id)]
        if (isDue.get(lane, projectId, now)) queues.push({ lane: lane as Delivery['lane'], projectId })
        row = next.get(lane, projectId)
      }
      return queues
    },

    claim: ({ queue, worker, now, leaseUntil, limit }) =>
      write(() =>
        statement(claimSql)
          .all(worker, leaseUntil, now, queue.lane, queue.projectId, now, limit)
          .map(deliveryOf)
          .sort(byTurn),
      ),

    renew: (ids, worker, leaseUntil) =>
      write(() => {
        const one = statement(
          "UPDATE deliveries SET lease_until = ? WHERE _id = ? AND status = 'sending' AND worker = ?",
        )
        return ids.filter((id) => Number(one.run(leaseUntil, id, worker).changes) > 0)
      }),

    settle: (settlements) =>
      write(() => {
        for (const settlement of settlements) settleOne(settlement)
      }),

    reclaim: async (now, graceUntil) => {
      const lost = statement("SELECT 1 FROM deliveries WHERE status = 'sending' AND lease_until <= ? LIMIT 1").get(now)
      const waited = statement("SELECT 1 FROM deliveries WHERE status = 'uncertain' AND not_before <= ? LIMIT 1").get(
        now,
      )
      if (!lost && !waited) return 0
      return write(() => {
        const { changes } = statement(
          "UPDATE deliveries SET status = 'uncertain', not_before = ?, attempts = attempts + 1, worker = NULL, lease_until = NULL, updated_at = ? WHERE status = 'sending' AND lease_until <= ?",
        ).run(graceUntil, now, now)
        statement(
          "UPDATE deliveries SET status = 'queued', updated_at = ? WHERE status = 'uncertain' AND not_before <= ?",
        ).run(now, now)
        return Number(changes)
      })
    },

    report: (id, providerMessageId, now) =>
      write(() => {
        const sql =
          "UPDATE deliveries SET status = 'sent', provider_message_id = ?, sent_at = ?, updated_at = ? WHERE _id = ? AND status = 'uncertain'"
        return Number(statement(sql).run(providerMessageId, now, now, id).changes) > 0
      }),

    open: async (dispatchId) =>
      statement(
        "SELECT 1 FROM deliveries WHERE dispatch_id = ? AND status IN ('queued', 'sending', 'uncertain') LIMIT 1",
      ).get(dispatchId) !== undefined,

    tally: async (dispatchId) => {
      const rows = statement(
        `SELECT status, reason, count(*) AS n FROM deliveries WHERE ${ofDispatch} GROUP BY status, reason`,
      ).all(...rangeOf(dispatchId))
      const byStatus = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<
        DeliveryStatus,
        number
      >
      const excluded: Partial<Record<ExclusionReason, number>> = {}
      for (const row of rows) {
        const [status, n] = [row.status as DeliveryStatus, Number(row.n)]
        byStatus[status] += n
        if (status === 'excluded' && row.reason !== null) excluded[row.reason as ExclusionReason] = n
      }
      return { byStatus, excluded }
    },

    each: async function* (dispatchId, status) {
      const [from, to] = rangeOf(dispatchId)
      const next = statement(
        `SELECT * FROM deliveries WHERE ${ofDispatch} AND status = ? ORDER BY _id LIMIT ${pageSize}`,
      )
      for (let after = from as Parameter; ; ) {
        const page = next.all(after, to as Parameter, status).map(deliveryOf)
        yield* page
        const last = page.at(-1)
        if (!last || page.length < pageSize) return
        after = last._id
      }
    },

    stop: (dispatchId, refund, now) =>
      write(() => {
        const sql =
          "UPDATE deliveries SET status = 'excluded', reason = 'stopped', updated_at = ? WHERE dispatch_id = ? AND status = 'queued'"
        const n = Number(statement(sql).run(now, dispatchId).changes)
        if (n > 0) counters.give({ key: refund, n })
        return n
      }),

    retryFailed: (dispatchId, now) =>
      write(() => {
        const sql = `UPDATE deliveries SET status = 'queued', attempts = 0, not_before = ?, updated_at = ? WHERE ${ofDispatch} AND status = 'failed'`
        return Number(statement(sql).run(now, now, ...rangeOf(dispatchId)).changes)
      }),
  }
}
