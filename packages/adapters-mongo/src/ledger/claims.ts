import type { Deliveries, Delivery } from '@posthorn/core'
import { ObjectId } from 'mongodb'
import { retried } from '../connection/retried.js'
import { deliveryFields, type LedgerCollections } from './ledger-collections.js'

const byTurn = (a: Delivery, b: Delivery) =>
  a.notBefore < b.notBefore ? -1 : a.notBefore > b.notBefore ? 1 : a._id < b._id ? -1 : 1

/** A name that no other claim has. */
export const newClaim = (): string => new ObjectId().toHexString()

/** How deliveries come to a worker, a batch at a time, and stay with it. */
export const claiming = ({
  deliveries,
}: Pick<LedgerCollections, 'deliveries'>): Pick<Deliveries, 'claim' | 'renew'> => ({
  /**
   * Those that are due are looked up and then given the claim's name, each that is still queued: where two claims look up the same,
   * each delivery goes to one of them, and who got too few looks again.
   */
  claim: async ({ queue: { lane, projectId }, worker, now, leaseUntil, limit }) => {
    const due = { status: 'queued', lane, projectId, notBefore: { $lte: now } } as const
    const claim = newClaim()
    const claimed: Delivery[] = []
    while (claimed.length < limit) {
      const found = await retried(() =>
        deliveries
          .find(due, { projection: { _id: 1 } })
          .sort({ notBefore: 1, _id: 1 })
          .limit(limit - claimed.length)
          .toArray(),
      )
      if (found.length === 0) break
      const ids = found.map(({ _id }) => _id)
      const mine = await retried(async () => {
        const $set = { status: 'sending', worker, leaseUntil, updatedAt: now, _claim: claim } as const
        await deliveries.updateMany({ _id: { $in: ids }, status: 'queued', notBefore: { $lte: now } }, { $set })
        return deliveries.find({ _id: { $in: ids }, _claim: claim }, deliveryFields).toArray()
      })
      claimed.push(...mine)
    }
    return claimed.sort(byTurn)
  },

  /** Never shortens a lease: where a connection was cut, an earlier wish may arrive after a later one. */
  renew: async (ids, worker, leaseUntil) => {
    if (ids.length === 0) return []
    const held = { _id: { $in: [...ids] }, status: 'sending', worker } as const
    const still = await retried(async () => {
      await deliveries.updateMany(held, { $max: { leaseUntil } })
      return deliveries.find({ ...held, leaseUntil: { $gte: leaseUntil } }, { projection: { _id: 1 } }).toArray()
    })
    const mine = new Set(still.map(({ _id }) => _id))
    return ids.filter((id) => mine.has(id))
  },
})
