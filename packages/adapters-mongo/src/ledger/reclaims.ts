import type { Deliveries } from '@posthorn/core/ports/storage'
import type { Filter } from 'mongodb'
import { answered, retried } from '../connection/retried.js'
import type { DeliveryDocument, LedgerCollections } from './ledger-collections.js'
import type { Steps } from './step.js'

/** Least time between two sweeps while no lease has expired, in ms. Sweeps leave a step alone for 20 s anyway. */
const sweepTime = 9_000

type Deps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly steps: Steps }

const lostAt = (now: string) => ({ status: 'sending', leaseUntil: { $lte: now } }) as const
const waitingAt = (now: string) => ({ status: 'uncertain', notBefore: { $lte: now } }) as const

/** Reclaims deliveries with expired leases, and queues uncertain deliveries again once their time has come. */
export const reclaiming = ({ collections: { deliveries }, steps }: Deps): Pick<Deliveries, 'lost' | 'reclaim'> => {
  const isAny = async (now: string): Promise<boolean> => {
    const any = { $or: [lostAt(now), waitingAt(now)] }
    return (await retried(() => deliveries.findOne(any, { projection: { _id: 1 } }))) !== null
  }

  /** The time for which `lost` last found nothing: a `reclaim` for the same time then needs no query. */
  let quietAt: string | undefined
  let sweptAt = Number.NEGATIVE_INFINITY

  return {
    lost: async (now) => {
      await steps.carriedOut()
      if (await isAny(now)) return retried(() => deliveries.distinct('dispatchId', lostAt(now)))
      quietAt = now
      return []
    },

    /** Each update is guarded by the delivery's lease or time, so several processes may reclaim at once. */
    reclaim: async (now, graceUntil, atOnce = []) => {
      await steps.carriedOut()
      const isQuiet = quietAt === now
      quietAt = undefined
      const nothing = isQuiet || !(await isAny(now))
      const at = Date.parse(now)
      if (!nothing || Math.abs(at - sweptAt) >= sweepTime) {
        sweptAt = at
        await steps.sweep()
      }
      if (nothing) return 0
      // Outcomes that a worker recorded before it died must be carried out first, or their deliveries would be sent again.
      await steps.takeOver()
      const losing = (notBefore: string) =>
        ({
          $set: { status: 'uncertain', notBefore, updatedAt: now },
          $inc: { attempts: 1 },
          $unset: { worker: true, leaseUntil: true, _claim: true },
        }) as const
      const lose = async (which: Filter<DeliveryDocument>, notBefore: string) =>
        (await answered(() => deliveries.updateMany({ ...lostAt(now), ...which }, losing(notBefore)))).modifiedCount
      const requeue = { $set: { status: 'queued', updatedAt: now } } as const
      const unwaiting = atOnce.length > 0 ? await lose({ dispatchId: { $in: [...atOnce] } }, now) : 0
      const lost = unwaiting + (await lose({ dispatchId: { $nin: [...atOnce] } }, graceUntil))
      await retried(() => deliveries.updateMany(waitingAt(now), requeue))
      return lost
    },
  }
}
