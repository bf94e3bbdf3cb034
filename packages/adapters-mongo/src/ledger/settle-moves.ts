import { figuresOf, type Settlement } from '@posthorn/core'
import { retried } from '../connection/retried.js'
import type { LedgerCollections } from './ledger-collections.js'
import type { Move } from './step.js'

/** An attempt has an error of its own, or none; what was no attempt leaves the last one's. */
const moveOf = (settlement: Settlement, claim: string): Move => {
  const { _id, to, now, attempted, notBefore, reason, error, providerMessageId, subject } = settlement
  const { refund, counted = [], receivedBy } = settlement
  return {
    in: 'deliveries',
    _id,
    where: { _claim: claim },
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
      ...(counted.length > 0 && { figures: figuresOf(counted, now) }),
      ...(receivedBy !== undefined && { received: [{ contactId: receivedBy, at: now }] }),
    },
  }
}

/** What the settlements make of the deliveries that their workers still have; the first of each delivery counts. */
export const settleMoves = async (
  { deliveries }: Pick<LedgerCollections, 'deliveries'>,
  settlements: readonly Settlement[],
): Promise<readonly Move[]> => {
  const held = await retried(() =>
    deliveries
      .find(
        { _id: { $in: settlements.map(({ _id }) => _id) }, status: 'sending' },
        { projection: { worker: 1, _claim: 1 } },
      )
      .toArray(),
  )
  const holders = new Map(held.map((row) => [row._id, row]))
  const moves = new Map<string, Move>()
  for (const settlement of settlements) {
    const { _id, worker } = settlement
    const holder = holders.get(_id)
    if (holder?._claim !== undefined && holder.worker === worker && !moves.has(_id))
      moves.set(_id, moveOf(settlement, holder._claim))
  }
  return [...moves.values()]
}
