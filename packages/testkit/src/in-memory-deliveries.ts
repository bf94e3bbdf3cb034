import {
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  deliveryStatuses,
  type ExclusionReason,
  type Give,
  KeyTaken,
  type Queue,
  type Repository,
  type Settlement,
  type Take,
} from '@posthorn/core'
import { compare } from './order.js'

type Deps = {
  readonly dispatches: Repository<Dispatch>
  readonly takeNow: (takes: readonly Take[]) => Take | undefined
  readonly giveNow: (give: Give) => void
}

const byId = (a: Delivery, b: Delivery) => compare(a._id, b._id)
const byTurn = (a: Delivery, b: Delivery) => compare(a.notBefore, b.notBefore) || byId(a, b)

/** Without what only a claimed delivery has. */
const released = ({ worker: _, leaseUntil: __, ...delivery }: Delivery): Delivery => delivery

const settled = (
  delivery: Delivery,
  { to, now, attempted, notBefore, reason, error, providerMessageId }: Settlement,
): Delivery => ({
  ...released(delivery),
  status: to,
  attempts: delivery.attempts + (attempted ? 1 : 0),
  updatedAt: now,
  ...(notBefore && { notBefore }),
  ...(reason && { reason }),
  ...(error && { error }),
  ...(providerMessageId && { providerMessageId }),
  ...(to === 'sent' && { sentAt: now }),
})

/** The delivery ledger in memory: the model that the stores are held to. */
export const inMemoryDeliveries = ({ dispatches, takeNow, giveNow }: Deps): Deliveries => {
  const rows = new Map<string, Delivery>()
  const where = (fits: (delivery: Delivery) => boolean) => [...rows.values()].filter(fits)
  const of = (dispatchId: string) => where((one) => one.dispatchId === dispatchId)
  const put = (delivery: Delivery) => rows.set(delivery._id, delivery)
  const addNew = (deliveries: readonly Delivery[]) => {
    for (const delivery of deliveries) if (!rows.has(delivery._id)) put(structuredClone(delivery))
  }

  return {
    accept: async ({ dispatch, deliveries, takes }) => {
      if (await dispatches.get({ _id: dispatch._id })) return undefined
      const refused = takeNow(takes)
      if (refused) return refused
      try {
        await dispatches.add(dispatch)
      } catch (error) {
        for (const { key, n } of takes) giveNow({ key, n })
        if (error instanceof KeyTaken) return undefined
        throw error
      }
      addNew(deliveries)
      return undefined
    },

    expand: async ({ dispatchId, after, cursor, stage, deliveries, creditsHeld, refund, now }) => {
      let moved = false
      await dispatches.change({ _id: dispatchId }, (dispatch) => {
        moved = dispatch.stage === 'expanding' && dispatch.cursor === after
        return moved ? { ...dispatch, cursor, stage, creditsHeld, progressAt: now, updatedAt: now } : dispatch
      })
      if (!moved) return false
      addNew(deliveries)
      if (refund) giveNow(refund)
      return true
    },

    due: async (now) => {
      const queues = new Map<string, Queue>()
      for (const { lane, projectId } of where((one) => one.status === 'queued' && one.notBefore <= now))
        queues.set(`${lane} ${projectId}`, { lane, projectId })
      return [...queues.values()]
    },

    claim: async ({ queue, worker, now, leaseUntil, limit }) => {
      const due = where(
        (one) =>
          one.status === 'queued' &&
          one.notBefore <= now &&
          one.lane === queue.lane &&
          one.projectId === queue.projectId,
      )
      return due
        .sort(byTurn)
        .slice(0, limit)
        .map((one) => {
          const claimed: Delivery = { ...one, status: 'sending', worker, leaseUntil, updatedAt: now }
          put(claimed)
          return structuredClone(claimed)
        })
    },

    renew: async (ids, worker, leaseUntil) =>
      ids.filter((id) => {
        const row = rows.get(id)
        if (row?.status !== 'sending' || row.worker !== worker) return false
        put({ ...row, leaseUntil })
        return true
      }),

    settle: async (settlements) => {
      for (const settlement of settlements) {
        const row = rows.get(settlement._id)
        if (row?.status !== 'sending' || row.worker !== settlement.worker) continue
        put(settled(row, settlement))
        if (settlement.refund) giveNow({ key: settlement.refund, n: 1 })
      }
    },

    reclaim: async (now, graceUntil) => {
      const lost = where((one) => one.status === 'sending' && (one.leaseUntil ?? '') <= now)
      for (const row of lost)
        put({
          ...released(row),
          status: 'uncertain',
          notBefore: graceUntil,
          attempts: row.attempts + 1,
          updatedAt: now,
        })
      for (const row of where((one) => one.status === 'uncertain' && one.notBefore <= now))
        put({ ...row, status: 'queued', updatedAt: now })
      return lost.length
    },

    report: async (id, providerMessageId, now) => {
      const row = rows.get(id)
      if (row?.status !== 'uncertain') return false
      put({ ...row, status: 'sent', providerMessageId, sentAt: now, updatedAt: now })
      return true
    },

    open: async (dispatchId) =>
      of(dispatchId).some(({ status }) => status === 'queued' || status === 'sending' || status === 'uncertain'),

    tally: async (dispatchId) => {
      const byStatus = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<
        DeliveryStatus,
        number
      >
      const excluded: Partial<Record<ExclusionReason, number>> = {}
      for (const { status, reason } of of(dispatchId)) {
        byStatus[status] += 1
        if (status === 'excluded' && reason) excluded[reason] = (excluded[reason] ?? 0) + 1
      }
      return { byStatus, excluded }
    },

    each: async function* (dispatchId, status) {
      for (const { _id } of of(dispatchId).sort(byId)) {
        const row = rows.get(_id)
        if (row?.status === status) yield structuredClone(row)
      }
    },

    stop: async (dispatchId, refund, now) => {
      const queued = of(dispatchId).filter(({ status }) => status === 'queued')
      for (const row of queued) put({ ...row, status: 'excluded', reason: 'stopped', updatedAt: now })
      giveNow({ key: refund, n: queued.length })
      return queued.length
    },

    retryFailed: async (dispatchId, now) => {
      const failed = of(dispatchId).filter(({ status }) => status === 'failed')
      for (const row of failed) put({ ...row, status: 'queued', attempts: 0, notBefore: now, updatedAt: now })
      return failed.length
    },
  }
}
