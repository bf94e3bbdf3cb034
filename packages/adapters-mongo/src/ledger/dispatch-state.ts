import {
  type Deliveries,
  type DeliveryStatus,
  deliveryStatuses,
  type ExclusionReason,
} from '@posthorn/core/ports/storage'
import type { Filter } from 'mongodb'
import { retried } from '../connection/retried.js'
import { type DeliveryDocument, deliveryFields, type LedgerCollections, openStatuses } from './ledger-collections.js'
import type { Steps } from './step.js'

type Deps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly steps: Steps }

/** Deliveries that `each` reads with one query. */
const pageSize = 1_000

/** Queries the progress and the deliveries of a dispatch. */
export const dispatchState = ({
  collections: { deliveries },
  steps,
}: Deps): Pick<Deliveries, 'open' | 'untried' | 'tally' | 'each'> => ({
  /**
   * A step that is about to add deliveries counts as open. An open delivery answers true at once; false is only certain if no step was
   * under way before the last query.
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
