import { fairLimiter } from '../kernel/fair-limiter.js'
import type { Sleep } from '../kernel/ports.js'
import type { AccountOf } from '../projects/project.js'

/** The maximum number of concurrent posts: to all quick receivers, to all slow ones, and to one receiver of each. */
const atOnce = { quick: 200, slow: 100, toOneQuick: 10, toOneSlow: 2 }
/** A post holds a slot of the quick ones for 2 s (in ms) at most; a receiver that takes longer is slow. */
const quickTime = 2_000
/**
 * How many events of a project are claimed at once: for a slow receiver, at first, and at most. The number doubles while the receiver is
 * quick.
 */
const pageSizes = { slow: 5, first: 100, largest: 500 }
/** For how many projects this process remembers how fast they respond. */
const mostKnown = 10_000

type Endpoint = { readonly isSlow: boolean; readonly pageSize: number }
const unknown: Endpoint = { isSlow: false, pageSize: pageSizes.first }

type Deps = { readonly sleep: Sleep; readonly accountOf: AccountOf }

/**
 * Slots for posting. Accounts take turns, however many projects each has; speed is measured by project. A slow receiver does not delay a
 * quick one: after two seconds its post continues without a slot, and its next posts wait in the slow queue.
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

  /** Waits until the post ends or its time is up, and remembers whether the receiver was quick. */
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
    /** How many events of the project to claim, given the number of events in one post. */
    pageSize: (projectId: string, perPost: number): number =>
      Math.min(pageSizes.largest, of(projectId).pageSize * perPost),

    /** Call after a whole page was posted in time. */
    grow: (projectId: string): void => {
      const { isSlow, pageSize } = of(projectId)
      if (!isSlow) learn(projectId, { isSlow, pageSize: Math.min(pageSizes.largest, pageSize * 2) })
    },

    /** A limiter for the posts of one page. */
    toOne: (projectId: string) => fairLimiter(of(projectId).isSlow ? atOnce.toOneSlow : atOnce.toOneQuick),

    /** Posts when the project's account has its turn. */
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
