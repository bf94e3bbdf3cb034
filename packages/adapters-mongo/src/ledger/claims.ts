import type { Deliveries, Delivery } from '@posthorn/core/ports/storage'
import { ObjectId } from 'mongodb'
import { retried } from '../connection/retried.js'
import { deliveriesBy, deliveryFields, type LedgerCollections } from './ledger-collections.js'

const byTurn = (a: Delivery, b: Delivery) =>
  a.notBefore < b.notBefore ? -1 : a.notBefore > b.notBefore ? 1 : a._id < b._id ? -1 : 1

/** A unique name for a claim. */
export const newClaim = (): string => new ObjectId().toHexString()

/** Deliveries whose claims are remembered; the claims of older ones are queried again. */
const mostKnown = 10_000

/** The claim that leased a delivery, and the delivery's project. */
export type KnownClaim = { readonly claim: string; readonly projectId: string }

/** Remembers which claim leased which delivery, so that settling needs no query. Forgets the oldest. */
export const knownClaims = () => {
  const claims = new Map<string, KnownClaim>()
  return {
    get: (id: string): KnownClaim | undefined => claims.get(id),
    add: (deliveries: readonly Pick<Delivery, '_id' | 'projectId'>[], claim: string): void => {
      for (const { _id, projectId } of deliveries) {
        claims.delete(_id)
        claims.set(_id, { claim, projectId })
      }
      for (const id of claims.keys()) {
        if (claims.size <= mostKnown) break
        claims.delete(id)
      }
    },
    forget: (ids: readonly string[]): void => {
      for (const id of ids) claims.delete(id)
    },
  }
}
export type KnownClaims = ReturnType<typeof knownClaims>

type Deps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly known: KnownClaims }

/** Leases batches of deliveries to workers, and renews the leases. */
export const claiming = ({ collections: { deliveries }, known }: Deps): Pick<Deliveries, 'claim' | 'renew'> => ({
  /**
   * Reads due deliveries, then marks those that are still queued with the claim's name: if two claims read the same deliveries, each
   * delivery goes to one of them. A claim that got too few retries at a random distance from the head of the queue, to avoid the others.
   */
  claim: async ({ queue: { lane, projectId }, worker, now, leaseUntil, limit }) => {
    const due = { status: 'queued', lane, projectId, notBefore: { $lte: now } } as const
    const claim = newClaim()
    const taken = { status: 'sending', worker, leaseUntil, updatedAt: now } as const
    const claimed: Delivery[] = []
    for (let skip = 0; claimed.length < limit; ) {
      const wanted = limit - claimed.length
      const options = {
        ...deliveryFields,
        sort: { notBefore: 1, _id: 1 },
        skip,
        limit: wanted,
        batchSize: wanted,
      } as const
      const found = await retried(() => deliveries.find(due, options).toArray())
      if (found.length === 0 && skip === 0) break
      const ids = found.map(({ _id }) => _id)
      const where = { ...deliveriesBy(ids), status: 'queued', notBefore: { $lte: now } } as const
      const isAll = await retried(async () => {
        const { modifiedCount } = await deliveries.updateMany(where, { $set: { ...taken, _claim: claim } })
        return modifiedCount === ids.length
      })
      const mine = isAll
        ? found.map((delivery): Delivery => ({ ...delivery, ...taken }))
        : await retried(() =>
            deliveries
              .find({ ...deliveriesBy(ids), _claim: claim }, { ...deliveryFields, batchSize: ids.length })
              .toArray(),
          )
      claimed.push(...mine)
      skip = mine.length < found.length / 2 ? Math.floor(Math.random() * 4) * limit : 0
    }
    known.add(claimed, claim)
    return claimed.sort(byTurn)
  },

  /** Never shortens a lease: if a connection breaks, an earlier renewal may arrive after a later one. */
  renew: async (ids, worker, leaseUntil) => {
    if (ids.length === 0) return []
    const held = { ...deliveriesBy(ids), status: 'sending', worker } as const
    const still = await retried(async () => {
      const { matchedCount } = await deliveries.updateMany(held, { $max: { leaseUntil } })
      if (matchedCount === ids.length) return ids
      const options = { projection: { _id: 1 }, batchSize: ids.length } as const
      const found = await deliveries.find({ ...held, leaseUntil: { $gte: leaseUntil } }, options).toArray()
      return found.map(({ _id }) => _id)
    })
    const mine = new Set(still)
    return ids.filter((id) => mine.has(id))
  },
})
