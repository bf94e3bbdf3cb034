import { type Deliveries, type DeliveryStatus, deliveryStatuses, type ExclusionReason } from '@posthorn/core/ports'
import type { Filter } from 'mongodb'
import { retried } from '../connection/retried.js'
import { type DeliveryDocument, deliveryFields, type LedgerCollections, openStatuses } from './ledger-collections.js'
import type { Steps } from './step.js'

type Deps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly steps: Steps }

/** How many deliveries a page of a walk has. */
const pageSize = 1_000

/** How far a dispatch has come: what of it is still open, how much there is of each status, and all of one status. */
export const dispatchState = ({
  collections: { deliveries },
  steps,
}: Deps): Pick<Deliveries, 'open' | 'untried' | 'tally' | 'each'> => ({
  /**
   * A step that brings deliveries counts as some: they will be there in a moment. What is there says yes at once; no is only certain
   * where no step was under way before it was looked for.
   */
  open: async (dispatchId) => {
    await steps.carriedOut()
    const isThere = async () =>
      (await retried(() =>
        deliveries.findOne({ dispatchId, status: { $in: [...openStatuses] } }, { projection: { _id: 1 } }),
      )) !== null
    return (await isThere()) || (await steps.underWay(dispatchId)) || (await isThere())
  },

  untried: async (dispatchId) => {
    await steps.carriedOut()
    const isThere = async (which: Filter<DeliveryDocument>) =>
      (await retried(() =>
        deliveries.findOne({ dispatchId, status: { $in: [...openStatuses] }, ...which }, { projection: { _id: 1 } }),
      )) !== null
    return (
      (await isThere({ attempts: 0 })) ||
      (await steps.underWay(dispatchId)) ||
      (await isThere({ attempts: 0 })) ||
      (await isThere({ error: { $exists: false } }))
    )
  },

  tally: async (dispatchId) => {
    await steps.carriedOut()
    const counts = <K extends string>(match: object, field: string) =>
      retried(() =>
        deliveries
          .aggregate<{ _id: K; n: number }>([{ $match: match }, { $group: { _id: `$${field}`, n: { $sum: 1 } } }])
          .toArray(),
      )
    const [statuses, reasons] = await Promise.all([
      counts<DeliveryStatus>({ dispatchId }, 'status'),
      counts<ExclusionReason>({ dispatchId, status: 'excluded', reason: { $exists: true } }, 'reason'),
    ])
    const numbers = (found: readonly { _id: string; n: number }[]) =>
      Object.fromEntries(found.map(({ _id, n }) => [_id, n]))
    const none = Object.fromEntries(deliveryStatuses.map((status) => [status, 0])) as Record<DeliveryStatus, number>
    return { byStatus: { ...none, ...numbers(statuses) }, excluded: numbers(reasons) }
  },

  async *each(dispatchId, status) {
    await steps.carriedOut()
    for (let after = ''; ; ) {
      const page = await retried(() =>
        deliveries
          .find({ dispatchId, status, _id: { $gt: after } }, deliveryFields)
          .sort({ _id: 1 })
          .limit(pageSize)
          .batchSize(pageSize)
          .toArray(),
      )
      yield* page
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      after = last._id
    }
  },
})
