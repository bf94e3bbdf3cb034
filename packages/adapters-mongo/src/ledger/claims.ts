import { compareByTurn, type Deliveries, type Delivery, type Lane } from '@posthorn/core/ports/storage'
import { type Filter, ObjectId } from 'mongodb'
import { retried, withTimeLimit } from '../connection/retries.js'
import {
  type DeliveryDocument,
  deliveryIdsFilter,
  deliveryProjection,
  type LedgerCollections,
  openStatuses,
} from './ledger-collections.js'
import type { LedgerSteps } from './step.js'

export const newClaimId = (): string => new ObjectId().toHexString()

const mostKnown = 10_000

export type DeliveryClaim = { readonly claim: string; readonly projectId: string }

/** Which claim leased which delivery, so that settling needs no query. */
export const deliveryClaimCache = () => {
  const claims = new Map<string, DeliveryClaim>()
  return {
    get: (id: string): DeliveryClaim | undefined => claims.get(id),
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
export type DeliveryClaimCache = ReturnType<typeof deliveryClaimCache>

type ClaimDeps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly known: DeliveryClaimCache }

export const deliveryClaiming = ({
  collections: { deliveries },
  known,
}: ClaimDeps): Pick<Deliveries, 'claim' | 'renew'> => ({
  /** If few deliveries were left, retries at a random distance from the queue's head. */
  claim: async ({ queue: { lane, projectId }, worker, now, leaseUntil, limit }) => {
    const due = { status: 'queued', lane, projectId, notBefore: { $lte: now } } as const
    const claim = newClaimId()
    const taken = { status: 'sending', worker, leaseUntil, updatedAt: now } as const
    const claimed: Delivery[] = []
    for (let skip = 0; claimed.length < limit; ) {
      const wanted = limit - claimed.length
      const options = {
        ...deliveryProjection,
        sort: { notBefore: 1, _id: 1 },
        skip,
        limit: wanted,
        batchSize: wanted,
      } as const
      const found = await retried(() => deliveries.find(due, options).toArray())
      if (found.length === 0 && skip === 0) break
      const ids = found.map(({ _id }) => _id)
      const where = { ...deliveryIdsFilter(ids), status: 'queued', notBefore: { $lte: now } } as const
      const isAll = await retried(async () => {
        const { modifiedCount } = await deliveries.updateMany(where, { $set: { ...taken, _claim: claim } })
        return modifiedCount === ids.length
      })
      const mine = isAll
        ? found.map((delivery): Delivery => ({ ...delivery, ...taken }))
        : await retried(() =>
            deliveries
              .find({ ...deliveryIdsFilter(ids), _claim: claim }, { ...deliveryProjection, batchSize: ids.length })
              .toArray(),
          )
      claimed.push(...mine)
      skip = mine.length < found.length / 2 ? Math.floor(Math.random() * 4) * limit : 0
    }
    known.add(claimed, claim)
    return claimed.sort(compareByTurn)
  },

  /** Never shortens a lease: renewals may arrive out of order. */
  renew: async (ids, worker, leaseUntil) => {
    if (ids.length === 0) return []
    const held = { ...deliveryIdsFilter(ids), status: 'sending', worker } as const
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

/** In ms: minimum time between sweeps while no lease expires. */
const sweepTime = 9_000

type ReclaimDeps = { readonly collections: Pick<LedgerCollections, 'deliveries'>; readonly steps: LedgerSteps }

const lostAt = (now: string) => ({ status: 'sending', leaseUntil: { $lte: now } }) as const
const waitingAt = (now: string) => ({ status: 'uncertain', notBefore: { $lte: now } }) as const

/** Reclaims expired leases, and queues uncertain deliveries when their time has come. */
export const expiredLeaseReclaims = ({
  collections: { deliveries },
  steps,
}: ReclaimDeps): Pick<Deliveries, 'dispatchesOfDeadLeases' | 'reclaim'> => {
  const isAny = async (now: string): Promise<boolean> => {
    const any = { $or: [lostAt(now), waitingAt(now)] }
    return (await retried(() => deliveries.findOne(any, { projection: { _id: 1 } }))) !== null
  }

  /** `dispatchesOfDeadLeases` found nothing at this time: `reclaim` then needs no query. */
  let quietAt: string | undefined
  let sweptAt = Number.NEGATIVE_INFINITY

  return {
    dispatchesOfDeadLeases: async (now) => {
      await steps.carriedOut()
      if (await isAny(now)) return retried(() => deliveries.distinct('dispatchId', lostAt(now)))
      quietAt = now
      return []
    },

    /** Guarded by lease or time: several processes may reclaim at once. */
    reclaim: async (now, graceUntil, withoutReports = []) => {
      await steps.carriedOut()
      const isQuiet = quietAt === now
      quietAt = undefined
      const nothing = isQuiet || !(await isAny(now))
      const at = Date.parse(now)
      if (!nothing || Math.abs(at - sweptAt) >= sweepTime) {
        sweptAt = at
        await steps.sweep()
      }
      if (nothing) return { lost: 0, queued: 0 }
      // Otherwise mails with recorded outcomes would be sent again.
      await steps.takeOver()
      const losing = (notBefore: string) =>
        ({
          $set: { status: 'uncertain', notBefore, updatedAt: now },
          $inc: { attempts: 1 },
          $unset: { worker: true, leaseUntil: true, _claim: true },
        }) as const
      const lose = async (which: Filter<DeliveryDocument>, notBefore: string) =>
        (await withTimeLimit(() => deliveries.updateMany({ ...lostAt(now), ...which }, losing(notBefore))))
          .modifiedCount
      const requeue = { $set: { status: 'queued', updatedAt: now } } as const
      const unwaiting = withoutReports.length > 0 ? await lose({ dispatchId: { $in: [...withoutReports] } }, now) : 0
      const lost = unwaiting + (await lose({ dispatchId: { $nin: [...withoutReports] } }, graceUntil))
      const { modifiedCount: queued } = await retried(() => deliveries.updateMany(waitingAt(now), requeue))
      return { lost, queued }
    },
  }
}

type QueueDeps = {
  readonly collections: Pick<LedgerCollections, 'deliveries'>
  /** Makes recorded moves that queue deliveries again. */
  readonly queued: () => Promise<void>
  readonly carriedOut: LedgerSteps['carriedOut']
}

const lanes: readonly Lane[] = ['transactional', 'bulk']

export const deliveryQueues = ({
  collections: { deliveries },
  queued,
  carriedOut,
}: QueueDeps): Pick<Deliveries, 'backlog' | 'due'> => {
  /** Whether the last call of `due` found a queue. */
  let wasAnyDue = false

  return {
    backlog: async () => {
      await carriedOut()
      const found = await Promise.all(
        openStatuses.map((status) =>
          retried(() =>
            deliveries
              .aggregate<{ readonly _id: Lane; readonly n: number; readonly oldest: string }>([
                { $match: { status } },
                { $group: { _id: '$lane', n: { $sum: 1 }, oldest: { $min: '$notBefore' } } },
              ])
              .toArray(),
          ),
        ),
      )
      const [waiting = [], sending = [], uncertain = []] = found
      return lanes.map((lane) => {
        const count = (groups: typeof waiting) => groups.find(({ _id }) => _id === lane)?.n ?? 0
        const oldest = waiting.find(({ _id }) => _id === lane)?.oldest
        return {
          lane,
          queued: count(waiting),
          sending: count(sending),
          uncertain: count(uncertain),
          ...(oldest !== undefined && { oldest }),
        }
      })
    },

    due: async (now) => {
      await queued()
      // Usually nothing is due, which one query shows.
      const any = { status: 'queued', lane: { $in: [...lanes] }, notBefore: { $lte: now } } as const
      if (!wasAnyDue && !(await retried(() => deliveries.findOne(any, { projection: { _id: 1 } })))) return []
      const projectsOf = (lane: Lane) =>
        retried(() => deliveries.distinct('projectId', { status: 'queued', lane, notBefore: { $lte: now } }))
      const found = await Promise.all(
        lanes.map(async (lane) => (await projectsOf(lane)).map((projectId) => ({ lane, projectId }))),
      )
      wasAnyDue = found.flat().length > 0
      return found.flat()
    },
  }
}
