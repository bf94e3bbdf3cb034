import type { Deliveries, DeliveryStatus } from '@posthorn/core/ports/storage'
import { retried } from '../connection/retried.js'
import { deliveriesBy, type LedgerCollections } from './ledger-collections.js'

const final: readonly DeliveryStatus[] = ['sent', 'failed', 'excluded']

/** Removes deliveries with a final status, by the index on dispatches. It finds ids first, because a removal itself takes no limit. */
export const pruning = ({ deliveries }: Pick<LedgerCollections, 'deliveries'>): Pick<Deliveries, 'prune'> => ({
  prune: async (dispatchIds, limit, before) => {
    const of = { dispatchId: { $in: [...dispatchIds] } }
    const isOver = { status: { $in: [...final] }, ...(before !== undefined && { updatedAt: { $lt: before } }) }
    const over = { ...of, ...isOver }
    const options = { projection: { _id: 1 }, limit, batchSize: limit } as const
    const found = await retried(() => deliveries.find(over, options).toArray())
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0) await retried(() => deliveries.deleteMany({ ...deliveriesBy(ids), ...isOver }))
    const left = new Set(await retried(() => deliveries.distinct('dispatchId', of)))
    return { removed: ids.length, gone: dispatchIds.filter((id) => !left.has(id)) }
  },
})
