import type { Deliveries, Lane } from '@posthorn/core/ports/storage'
import { retried } from '../connection/retried.js'
import { type LedgerCollections, openStatuses } from './ledger-collections.js'
import type { Steps } from './step.js'

type Deps = {
  readonly collections: Pick<LedgerCollections, 'deliveries'>
  /** Carries out recorded moves that queue deliveries again. */
  readonly queued: () => Promise<void>
  readonly carriedOut: Steps['carriedOut']
}

const lanes: readonly Lane[] = ['transactional', 'bulk']

/** Queries the backlog of the lanes, and the queues with due deliveries. */
export const queues = ({
  collections: { deliveries },
  queued,
  carriedOut,
}: Deps): Pick<Deliveries, 'backlog' | 'due'> => {
  /** Whether the last call of `due` found a queue. */
  let wasAnyDue = false

  return {
    /** Counts and the earliest time come from the status indexes; only deliveries that are not queued are fetched, for their lane. */
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
      // Usually nothing is due, which one query for both lanes shows; after a call that found a queue, more are likely.
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
