import {
  type Deliveries,
  type Delivery,
  type DeliveryStatus,
  type Dispatch,
  mayRetry,
} from '@posthorn/core/ports/storage'
import { retried } from '../connection/retried.js'
import { recordOf } from '../repository/document.js'
import { deliveriesBy, deliveryFields, type LedgerCollections } from './ledger-collections.js'
import { retryMoves } from './retry-moves.js'
import type { Move, Steps } from './step.js'

type Deps = { readonly collections: Pick<LedgerCollections, 'deliveries' | 'dispatches'>; readonly steps: Steps }

/** Deliveries that one step moves. */
const stepSize = 1_000

/** Stops a dispatch's queued deliveries, or retries its failed ones, and gives back or takes their credit. */
export const stopsAndRetries = ({
  collections: { deliveries, dispatches },
  steps,
}: Deps): Pick<Deliveries, 'stop' | 'retryFailed'> => {
  /** At most `stepSize` of the dispatch's deliveries with the status. */
  const withStatus = (dispatchId: string, status: DeliveryStatus) =>
    retried(() =>
      deliveries.find({ dispatchId, status }, { ...deliveryFields, limit: stepSize, batchSize: stepSize }).toArray(),
    )

  const areStill = async (status: DeliveryStatus, some: readonly Delivery[]): Promise<boolean> => {
    const where = { ...deliveriesBy(some.map(({ _id }) => _id)), status }
    return (await retried(() => deliveries.countDocuments(where))) === some.length
  }

  return {
    /** Large dispatches need several steps. Each is consistent by itself; after an interruption, the next call continues. */
    stop: async (dispatchId, refund, now, error) => {
      const end = error ? ({ status: 'failed', error } as const) : ({ status: 'excluded', reason: 'stopped' } as const)
      await steps.carriedOut()
      for (let stopped = 0; ; ) {
        const page = await withStatus(dispatchId, 'queued')
        if (page.length === 0) return stopped
        const moves = page.map(
          ({ _id, status, attempts, updatedAt }): Move => ({
            in: 'deliveries',
            _id,
            where: { status, attempts, updatedAt },
            set: { ...end, updatedAt: now },
            brings: { gives: [{ key: refund, n: 1 }] },
          }),
        )
        stopped += (await steps.run({ lock: `stop:${dispatchId}`, moves })).made.length
      }
    },

    /** Retries of a dispatch run one by one under a lock. Nothing else changes failed deliveries, so every move of a step is made. */
    retryFailed: async ({ dispatchId, credit, now }) => {
      await steps.carriedOut()
      for (let again = 0; ; ) {
        const failed = await withStatus(dispatchId, 'failed')
        const found = await retried(() => dispatches.findOne({ _id: dispatchId }))
        const dispatch = found && recordOf<Dispatch>(found)
        if (!dispatch || !mayRetry(dispatch) || failed.length === 0) return { again }
        const plan = {
          lock: `retry:${dispatchId}`,
          about: dispatchId,
          takes: [{ ...credit, n: failed.length }],
          moves: retryMoves(dispatch, failed, now),
        }
        const { refused, made } = await steps.run(plan, async () => !(await areStill('failed', failed)))
        if (refused) return { again, refused }
        again += made.filter((move) => move.in === 'deliveries').length
      }
    },
  }
}
