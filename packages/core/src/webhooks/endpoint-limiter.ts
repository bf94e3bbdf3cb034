import { fairLimiter } from '../kernel/fair-limiter.js'
import type { Sleep } from '../kernel/ports.js'
import type { AccountOf } from '../projects/project.js'

/** Concurrent posts: to all quick receivers, all slow ones, and one of each. */
const atOnce = { quick: 200, slow: 100, toOneQuick: 10, toOneSlow: 2 }
/** In ms; a receiver that takes longer is slow. */
const quickTime = 2_000
/** Events claimed at once: of a slow receiver, at first, and at most. Doubles while the receiver is quick. */
const pageSizes = { slow: 5, first: 100, largest: 500 }
/** Projects whose speed is remembered. */
const mostKnown = 10_000

type Endpoint = { readonly isSlow: boolean; readonly pageSize: number }
const unknown: Endpoint = { isSlow: false, pageSize: pageSizes.first }

type Deps = { readonly sleep: Sleep; readonly accountOf: AccountOf }

/**
 * Slots for posting. Accounts take turns; speed is measured by project. After two seconds a post continues without a
 * slot, and the receiver's next posts wait in the slow queue.
 */
export const endpointLimiter = ({ sleep, accountOf }: Deps) => {
  const known = new Map<string, Endpoint>()
  const quick = fairLimiter(atOnce.quick)
  const slow = fairLimiter(atOnce.slow)

  const of = (projectId: string) => known.get(projectId) ?? unknown
  const learn = (projectId: string, endpoint: Endpoint) => {
    known.delete(projectId)
    known.set(projectId, endpoint)
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break
      known.delete(oldest)
    }
  }

  /** Waits for the post or the time limit, and remembers which came first. */
  const isQuick = async (projectId: string, posted: Promise<unknown>): Promise<void> => {
    const over = new AbortController()
    const isSlow = await Promise.race([
      posted.then(
        () => false,
        () => false,
      ),
      sleep(quickTime, over.signal).then(() => !over.signal.aborted),
    ])
    over.abort()
    const before = of(projectId)
    if (isSlow) learn(projectId, { isSlow, pageSize: pageSizes.slow })
    else if (before.isSlow) learn(projectId, unknown)
  }

  return {
    pageSize: (projectId: string, perPost: number): number =>
      Math.min(pageSizes.largest, of(projectId).pageSize * perPost),

    /** Call after a whole page was posted in time. */
    grow: (projectId: string): void => {
      const { isSlow, pageSize } = of(projectId)
      if (!isSlow) learn(projectId, { isSlow, pageSize: Math.min(pageSizes.largest, pageSize * 2) })
    },

    toOne: (projectId: string) => fairLimiter(of(projectId).isSlow ? atOnce.toOneSlow : atOnce.toOneQuick),

    take: async <T>(projectId: string, post: () => Promise<T>): Promise<T> => {
      const accountId = await accountOf(projectId)
      const begin = () => {
        const posted = post()
        return { posted, learnt: isQuick(projectId, posted) }
      }
      if (of(projectId).isSlow) return slow(() => begin().posted, accountId)
      return new Promise((resolve, reject) => {
        void quick(async () => {
          const { posted, learnt } = begin()
          posted.then(resolve, reject)
          await learnt
        }, accountId)
      })
    },
  }
}

export type EndpointLimiter = ReturnType<typeof endpointLimiter>
