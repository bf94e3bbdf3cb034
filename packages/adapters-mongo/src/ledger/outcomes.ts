import { concurrencyLimiter } from '@posthorn/core/ports/runtime'
import {
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  isUnclickedLink,
  quarterHourFigures,
  type Settlement,
  withDeliveryCountsOnce,
  withMark,
} from '@posthorn/core/ports/storage'
import { retried } from '../connection/retries.js'
import type { DeliveryClaim, DeliveryClaimCache } from './claims.js'
import { deliveryIdsFilter, type LedgerCollections } from './ledger-collections.js'
import type { LedgerDocumentChange, LedgerSteps } from './step.js'

/** An attempt replaces or clears the error; a settlement without one keeps it. */
const moveOf = (settlement: Settlement, { claim, projectId }: DeliveryClaim): LedgerDocumentChange => {
  const { _id, worker, to, now, attempted, notBefore, reason, error, providerMessageId, subject } = settlement
  const { refund, counted = [], receivedBy } = settlement
  return {
    in: 'deliveries',
    _id,
    where: { _claim: claim, worker },
    set: {
      status: to,
      updatedAt: now,
      ...(notBefore !== undefined && { notBefore }),
      ...(reason !== undefined && { reason }),
      ...(error !== undefined && { error }),
      ...(providerMessageId !== undefined && { providerMessageId }),
      ...(subject !== undefined && { subject }),
      ...(to === 'sent' && { sentAt: now }),
    },
    unset: ['worker', 'leaseUntil', '_claim', ...(attempted && !error ? ['error'] : [])],
    ...(attempted && { add: { attempts: 1 } }),
    brings: {
      ...(refund !== undefined && { gives: [{ key: refund, n: 1 }] }),
      ...(counted.length > 0 && { figures: quarterHourFigures(counted, now) }),
      ...(receivedBy !== undefined && { received: [{ contactId: receivedBy, projectId, at: now }] }),
    },
  }
}

const claimsOf = async (
  { deliveries }: Pick<LedgerCollections, 'deliveries'>,
  known: DeliveryClaimCache,
  settlements: readonly Settlement[],
): Promise<ReadonlyMap<string, DeliveryClaim>> => {
  const claims = new Map<string, DeliveryClaim>()
  const unknown = new Map<string, string>()
  for (const { _id, worker } of settlements) {
    const claim = known.get(_id)
    if (claim === undefined) unknown.set(_id, worker)
    else claims.set(_id, claim)
  }
  if (unknown.size === 0) return claims
  const where = { ...deliveryIdsFilter([...unknown.keys()]), status: 'sending' } as const
  const options = { projection: { worker: 1, projectId: 1, _claim: 1 }, batchSize: unknown.size } as const
  for (const { _id, worker, projectId, _claim } of await retried(() => deliveries.find(where, options).toArray()))
    if (_claim !== undefined && unknown.get(_id) === worker) claims.set(_id, { claim: _claim, projectId })
  return claims
}

/** For deliveries that the workers still have; the first settlement counts. */
export const settlementMoves = async (
  collections: Pick<LedgerCollections, 'deliveries'>,
  known: DeliveryClaimCache,
  settlements: readonly Settlement[],
): Promise<readonly LedgerDocumentChange[]> => {
  const claims = await claimsOf(collections, known, settlements)
  const moves = new Map<string, LedgerDocumentChange>()
  for (const settlement of settlements) {
    const claim = claims.get(settlement._id)
    if (claim !== undefined && !moves.has(settlement._id)) moves.set(settlement._id, moveOf(settlement, claim))
  }
  return [...moves.values()].sort((a, b) => (a._id < b._id ? -1 : 1))
}

type ReportDeps = { readonly steps: LedgerSteps; readonly one: (id: string) => Promise<Delivery | null> }

export const lateOutcomes = ({ steps, one }: ReportDeps): Pick<Deliveries, 'report' | 'reject'> => {
  /** Retries if another report changed the delivery in between. */
  const moved = async (
    id: string,
    from: DeliveryStatus,
    change: Pick<LedgerDocumentChange, 'set' | 'unset' | 'brings'>,
  ) => {
    for (;;) {
      const found = await one(id)
      if (found?.status !== from) return false
      const { status, attempts, updatedAt } = found
      const where = { status, attempts, updatedAt }
      const { made } = await steps.run({ moves: [{ in: 'deliveries', _id: id, where, ...change }] })
      if (made.length > 0) return true
    }
  }

  return {
    report: (id, providerMessageId, now, counted) =>
      moved(id, 'uncertain', {
        set: { status: 'sent', providerMessageId, sentAt: now, updatedAt: now },
        unset: ['error'],
        brings: { figures: quarterHourFigures(counted, now) },
      }),

    reject: (id, error, now, figures) =>
      moved(id, 'sent', {
        set: { status: 'failed', error, updatedAt: now },
        unset: ['sentAt'],
        brings: { figures },
      }),
  }
}

type MarkDeps = { readonly steps: LedgerSteps; readonly one: (id: string) => Promise<Delivery | null> }

export const ledgerMarkWrites = ({ steps, one }: MarkDeps): Pick<Deliveries, 'mark' | 'countOnce'> => {
  const perDelivery = concurrencyLimiter({ perOwner: 1 })

  return {
    /** A changed count reveals that another process was faster. */
    mark: ({ _id, mark, name, returned, now, reportedAt = now, link, counted }) =>
      perDelivery.run(_id, async () => {
        for (;;) {
          const found = await one(_id)
          if (!found) return undefined
          const after = withMark(found, { mark, name, now, reportedAt, link, returned })
          if (after === found) return found
          const { [mark]: times = 0, markNames, clickedLinks, happened } = after
          const names = name === undefined ? {} : { markNames: found.markNames ?? null }
          const move: LedgerDocumentChange = {
            in: 'deliveries',
            _id,
            where: { [mark]: found[mark] ?? null, ...names, happened: found.happened ?? null },
            set: {
              [mark]: times,
              happened,
              ...(name !== undefined && { markNames }),
              ...(clickedLinks && { clickedLinks }),
              ...(returned && { returned, updatedAt: reportedAt }),
            },
            brings: { figures: quarterHourFigures(counted(times, isUnclickedLink(found, link)), now) },
          }
          const { made } = await steps.run({ moves: [move] })
          if (made.length > 0) return after
        }
      }),

    countOnce: (_id, counts) =>
      perDelivery.run(_id, async () => {
        for (;;) {
          const found = await one(_id)
          if (!found) return
          const { after, fresh } = withDeliveryCountsOnce(found, counts)
          if (fresh.size === 0) return
          const move: LedgerDocumentChange = {
            in: 'deliveries',
            _id,
            where: { markNames: found.markNames ?? null, happened: found.happened ?? null },
            set: { markNames: after.markNames, ...(after.happened && { happened: after.happened }) },
            brings: { figures: counts.flatMap((each) => (fresh.has(each.name) ? each.figures : [])) },
          }
          const { made } = await steps.run({ moves: [move] })
          if (made.length > 0) return
        }
      }),
  }
}
