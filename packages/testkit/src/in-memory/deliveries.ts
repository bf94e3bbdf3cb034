import { without } from '@posthorn/core/ports/runtime'
import {
  type AcceptanceResult,
  type Contact,
  compareByCodePoint,
  compareByTurn,
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  type DispatchToAccept,
  deliveryStatuses,
  isChosenForRetry,
  isUnclickedLink,
  mayRetryDispatch,
  moveDispatch,
  type QueueClaim,
  type QueueKey,
  quarterHourFigures,
  type Reclaimed,
  resultCounter,
  type Settlement,
  withDeliveryCountsOnce,
  withMark,
} from '@posthorn/core/ports/storage'
import type { InMemoryCounterValues } from './counters.js'
import { inMemoryDeliveriesPage, inMemoryNewestDeliveries } from './deliveries-page.js'
import type { InMemorySums } from './figures.js'
import { type InMemoryTable, type SortedList, selfSortingList } from './table.js'

/** The data that the ledger changes in the same step as its rows. */
type Beside = {
  readonly dispatches: InMemoryTable<Dispatch>
  readonly contacts: InMemoryTable<Contact>
  readonly counts: InMemoryCounterValues
  readonly sums: InMemorySums
  readonly ledger: InMemoryLedger
}

/** The rows by id and by dispatch; the ledger's queries read them too. */
export const inMemoryDeliveryLedger = () => ({
  rows: new Map<string, Delivery>(),
  ofDispatch: new Map<string, Set<string>>(),
})
export type InMemoryLedger = ReturnType<typeof inMemoryDeliveryLedger>

const openStatuses: readonly DeliveryStatus[] = ['queued', 'sending', 'uncertain']

const released = (row: Delivery) => without(row, 'worker', 'leaseUntil') as Delivery

const settled = (row: Delivery, { to, attempted, now, ...outcome }: Settlement): Delivery => {
  const { notBefore, reason, error, providerMessageId, subject } = outcome
  return {
    ...released(attempted ? (without(row, 'error') as Delivery) : row),
    status: to,
    attempts: row.attempts + (attempted ? 1 : 0),
    updatedAt: now,
    ...(notBefore && { notBefore }),
    ...(reason && { reason }),
    ...(error && { error }),
    ...(providerMessageId && { providerMessageId }),
    ...(subject !== undefined && { subject }),
    ...(to === 'sent' && { sentAt: now }),
  }
}

const leasedOf = (deliveries: readonly Delivery[]): readonly string[] =>
  deliveries.flatMap(({ _id, status }) => (status === 'sending' ? [_id] : []))

export const inMemoryDeliveries = ({ dispatches, contacts, counts, sums, ledger }: Beside): Deliveries => {
  const { rows, ofDispatch } = ledger
  const queues = new Map<string, { readonly queue: QueueKey; readonly waiting: SortedList<Delivery> }>()

  const queueOf = ({ lane, projectId }: QueueKey) => {
    const key = `${lane}:${projectId}`
    const found = queues.get(key) ?? { queue: { lane, projectId }, waiting: selfSortingList(compareByTurn) }
    queues.set(key, found)
    return found
  }

  const put = (row: Delivery) => {
    const before = rows.get(row._id)
    if (before?.status === 'queued') queueOf(before).waiting.remove(before)
    if (row.status === 'queued') queueOf(row).waiting.add(row)
    rows.set(row._id, row)
    const ids = ofDispatch.get(row.dispatchId)
    if (ids) ids.add(row._id)
    else ofDispatch.set(row.dispatchId, new Set([row._id]))
  }

  const addNew = (deliveries: readonly Delivery[]): readonly Delivery[] =>
    deliveries.filter((delivery) => {
      if (rows.has(delivery._id)) return false
      put(structuredClone(delivery))
      return true
    })

  const rowsOf = (dispatchId: string, ...statuses: readonly DeliveryStatus[]): readonly Delivery[] =>
    [...(ofDispatch.get(dispatchId) ?? [])].flatMap((id) => {
      const row = rows.get(id)
      return row && statuses.includes(row.status) ? [row] : []
    })

  const held = (id: string, worker: string): Delivery | undefined => {
    const row = rows.get(id)
    return row?.status === 'sending' && row.worker === worker ? row : undefined
  }

  const claim = ({ queue, worker, now, leaseUntil, limit }: QueueClaim): readonly Delivery[] => {
    const claimed: Delivery[] = []
    for (const row of queueOf(queue).waiting.items) {
      if (row.notBefore > now || claimed.length >= limit) break
      claimed.push({ ...row, status: 'sending', worker, leaseUntil, updatedAt: now })
    }
    claimed.forEach(put)
    return claimed
  }

  const settle = (settlement: Settlement) => {
    const row = held(settlement._id, settlement.worker)
    if (!row) return
    put(structuredClone(settled(row, settlement)))
    const { refund, counted = [], receivedBy, now } = settlement
    if (refund) counts.give({ key: refund, n: 1 })
    quarterHourFigures(counted, now).forEach(sums.add)
    if (receivedBy)
      contacts.change({ _id: receivedBy }, (contact) =>
        (contact.lastReceiveDate ?? '') < now ? { ...contact, lastReceiveDate: now } : contact,
      )
  }

  const isLost = ({ status, leaseUntil = '' }: Delivery, now: string) => status === 'sending' && leaseUntil <= now

  const reclaim = (now: string, graceUntil: string, withoutReports: readonly string[]): Reclaimed => {
    let [lost, queued] = [0, 0]
    for (const row of rows.values())
      if (isLost(row, now)) {
        lost += 1
        const attempts = row.attempts + 1
        const notBefore = withoutReports.includes(row.dispatchId) ? now : graceUntil
        put({ ...released(row), status: 'uncertain', attempts, notBefore, updatedAt: now })
      }
    for (const row of rows.values())
      if (row.status === 'uncertain' && row.notBefore <= now) {
        queued += 1
        put({ ...row, status: 'queued', updatedAt: now })
      }
    return { lost, queued }
  }

  const accept = ({ dispatch, deliveries, takes, isHeld = false }: DispatchToAccept): AcceptanceResult => {
    const there = dispatches.get({ _id: dispatch._id })
    if (isHeld ? there?.stage !== 'held' : there) return { leased: [] }
    const refused = counts.take(takes)
    if (refused) return { refused, leased: [] }
    if (there) dispatches.change({ _id: there._id }, ({ creditsHeld }) => ({ ...dispatch, creditsHeld }))
    else dispatches.add(dispatch)
    return { leased: leasedOf(addNew(deliveries)) }
  }

  return {
    accept: async (acceptance) => accept(acceptance),

    acceptAll: async (_id, acceptances) => acceptances.map(accept),

    hold: async ({ dispatch, key, limit }) => {
      const there = dispatches.get({ _id: dispatch._id })
      if (there && there.stage !== 'held') return undefined
      const more = dispatch.creditsHeld - (there?.creditsHeld ?? 0)
      const refused = more > 0 ? counts.take([{ key, n: more, limit }]) : undefined
      if (refused) return refused
      if (more < 0) counts.give({ key, n: -more })
      if (there) dispatches.change({ _id: there._id }, () => dispatch)
      else dispatches.add(dispatch)
      return undefined
    },

    release: async (dispatchId, refund, now) => {
      const there = dispatches.get({ _id: dispatchId, stage: 'held' })
      if (!there) return false
      dispatches.change({ _id: dispatchId }, (one) => ({ ...moveDispatch(one, 'stop', now), creditsHeld: 0 }))
      counts.give({ key: refund, n: there.creditsHeld })
      return true
    },

    expand: async ({ dispatchId, after, cursor, stage, deliveries, creditsHeld, takes, refund, now }) => {
      const dispatch = dispatches.get({ _id: dispatchId })
      if (dispatch?.stage !== 'expanding' || dispatch.cursor !== after) return undefined
      if (takes && counts.take([takes])) return undefined
      const added = addNew(deliveries)
      dispatches.change({ _id: dispatchId }, (current) => ({
        ...current,
        cursor,
        stage,
        creditsHeld,
        progressAt: now,
        updatedAt: now,
      }))
      if (refund) counts.give(refund)
      return leasedOf(added)
    },

    backlog: async () =>
      (['transactional', 'bulk'] as const).map((lane) => {
        const of = (status: DeliveryStatus) =>
          [...rows.values()].filter((row) => row.lane === lane && row.status === status)
        const [oldest] = of('queued')
          .map(({ notBefore }) => notBefore)
          .sort(compareByCodePoint)
        return {
          lane,
          queued: of('queued').length,
          sending: of('sending').length,
          uncertain: of('uncertain').length,
          ...(oldest !== undefined && { oldest }),
        }
      }),

    due: async (now) =>
      [...queues.values()].flatMap(({ queue, waiting: { items } }) =>
        items[0] && items[0].notBefore <= now ? [{ ...queue }] : [],
      ),

    claim: async (asked) => structuredClone(claim(asked)),

    renew: async (ids, worker, leaseUntil) =>
      ids.filter((id) => {
        const row = held(id, worker)
        if (row) put({ ...row, leaseUntil })
        return row !== undefined
      }),

    settle: async (settlements) => settlements.forEach(settle),

    dispatchesOfDeadLeases: async (now) => [
      ...new Set([...rows.values()].filter((row) => isLost(row, now)).map(({ dispatchId }) => dispatchId)),
    ],

    reclaim: async (now, graceUntil, withoutReports = []) => reclaim(now, graceUntil, withoutReports),

    report: async (id, providerMessageId, now, counted) => {
      const row = rows.get(id)
      if (row?.status !== 'uncertain') return false
      const sent = without(row, 'error') as Delivery
      put({ ...sent, status: 'sent', providerMessageId, sentAt: now, updatedAt: now })
      quarterHourFigures(counted, now).forEach(sums.add)
      return true
    },

    reject: async (id, error, now, figures) => {
      const row = rows.get(id)
      if (row?.status !== 'sent') return false
      put({ ...(without(row, 'sentAt') as Delivery), status: 'failed', error, updatedAt: now })
      figures.forEach(sums.add)
      return true
    },

    mark: async ({ _id, mark, name, returned, now, reportedAt, link, counted }) => {
      const row = rows.get(_id)
      if (!row) return undefined
      const marked = withMark(row, { mark, name, now, reportedAt, link, returned })
      if (marked === row) return structuredClone(row)
      put(marked)
      quarterHourFigures(counted(marked[mark] ?? 0, isUnclickedLink(row, link)), now).forEach(sums.add)
      return structuredClone(marked)
    },

    countOnce: async (id, counts) => {
      const row = rows.get(id)
      if (!row) return
      const { after, fresh } = withDeliveryCountsOnce(row, counts)
      if (fresh.size === 0) return
      put(after)
      for (const { name, figures } of counts) if (fresh.has(name)) figures.forEach(sums.add)
    },

    get: async (id) => structuredClone(rows.get(id)),

    list: async (query) => structuredClone(inMemoryDeliveriesPage([...rows.values()], query)),
    newest: async (walk) => structuredClone(inMemoryNewestDeliveries([...rows.values()], walk)),

    open: async (dispatchId) => rowsOf(dispatchId, ...openStatuses).length > 0,

    untried: async (dispatchId) =>
      rowsOf(dispatchId, ...openStatuses).some(({ attempts, error }) => attempts === 0 || !error),

    tally: async (dispatchId) => {
      const { add, tally } = resultCounter()
      for (const { status, reason } of rowsOf(dispatchId, ...deliveryStatuses)) add(status, reason, 1)
      return tally()
    },

    async *each(dispatchId, status) {
      const ids = rowsOf(dispatchId, status).map(({ _id }) => _id)
      for (const id of ids.sort(compareByCodePoint)) {
        const row = rows.get(id)
        if (row?.status === status) yield structuredClone(row)
      }
    },

    stop: async (dispatchId, refund, now, error) => {
      const stopped = rowsOf(dispatchId, 'queued')
      const end = error ? ({ status: 'failed', error } as const) : ({ status: 'excluded', reason: 'stopped' } as const)
      for (const row of stopped) put({ ...row, ...end, updatedAt: now })
      counts.give({ key: refund, n: stopped.length })
      return stopped.length
    },

    prune: async (dispatchIds, limit, before) => {
      const over = dispatchIds
        .flatMap((id) => rowsOf(id, 'sent', 'failed', 'excluded'))
        .filter(({ updatedAt }) => before === undefined || updatedAt < before)
        .slice(0, limit)
      for (const { _id, dispatchId } of over) {
        rows.delete(_id)
        const ids = ofDispatch.get(dispatchId)
        ids?.delete(_id)
        if (ids?.size === 0) ofDispatch.delete(dispatchId)
      }
      return { removed: over.length, gone: dispatchIds.filter((id) => !ofDispatch.has(id)) }
    },

    retryFailed: async ({ dispatchId, credit, now, ...choice }) => {
      const dispatch = dispatches.get({ _id: dispatchId })
      const failed =
        dispatch && mayRetryDispatch(dispatch)
          ? rowsOf(dispatchId, 'failed').filter((row) => isChosenForRetry(row, choice))
          : []
      const refused = failed.length > 0 ? counts.take([{ ...credit, n: failed.length }]) : undefined
      if (refused || failed.length === 0) return { again: 0, ...(refused && { refused }) }
      dispatches.change({ _id: dispatchId }, (current) => moveDispatch(current, 'retry', now))
      for (const row of failed) put({ ...row, status: 'queued', attempts: 0, notBefore: now, updatedAt: now })
      return { again: failed.length }
    },
  }
}
