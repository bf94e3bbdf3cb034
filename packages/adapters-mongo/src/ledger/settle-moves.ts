import { figuresOf, type Settlement } from '@posthorn/core/ports/storage'
import { retried } from '../connection/retried.js'
import type { KnownClaim, KnownClaims } from './claims.js'
import { deliveriesBy, type LedgerCollections } from './ledger-collections.js'
import type { Move } from './step.js'

/** An attempt replaces or clears the error; a settlement without an attempt keeps the error of the last attempt. */
const moveOf = (settlement: Settlement, { claim, projectId }: KnownClaim): Move => {
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
      ...(counted.length > 0 && { figures: figuresOf(counted, now) }),
      ...(receivedBy !== undefined && { received: [{ contactId: receivedBy, projectId, at: now }] }),
    },
  }
}

/** The claims that leased these deliveries to the settlements' workers, by delivery id. Unknown claims are queried. */
const claimsOf = async (
  { deliveries }: Pick<LedgerCollections, 'deliveries'>,
  known: KnownClaims,
  settlements: readonly Settlement[],
): Promise<ReadonlyMap<string, KnownClaim>> => {
  const claims = new Map<string, KnownClaim>()
  const unknown = new Map<string, string>()
  for (const { _id, worker } of settlements) {
    const claim = known.get(_id)
    if (claim === undefined) unknown.set(_id, worker)
    else claims.set(_id, claim)
  }
  if (unknown.size === 0) return claims
  const where = { ...deliveriesBy([...unknown.keys()]), status: 'sending' } as const
  const options = { projection: { worker: 1, projectId: 1, _claim: 1 }, batchSize: unknown.size } as const
  for (const { _id, worker, projectId, _claim } of await retried(() => deliveries.find(where, options).toArray()))
    if (_claim !== undefined && unknown.get(_id) === worker) claims.set(_id, { claim: _claim, projectId })
  return claims
}

/** Moves for the deliveries that the settlements' workers still have. The first settlement of each delivery counts. */
export const settleMoves = async (
  collections: Pick<LedgerCollections, 'deliveries'>,
  known: KnownClaims,
  settlements: readonly Settlement[],
): Promise<readonly Move[]> => {
  const claims = await claimsOf(collections, known, settlements)
  const moves = new Map<string, Move>()
  for (const settlement of settlements) {
    const claim = claims.get(settlement._id)
    if (claim !== undefined && !moves.has(settlement._id)) moves.set(settlement._id, moveOf(settlement, claim))
  }
  return [...moves.values()].sort((a, b) => (a._id < b._id ? -1 : 1))
}
