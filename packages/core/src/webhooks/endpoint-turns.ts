import { fairLimiter } from '../kernel/fair-limiter.js'
import type { Sleep } from '../kernel/ports.js'
import type { AccountOf } from '../projects/account-of.js'

/** How many are posted at once, to all that answer quickly, to all others, and to one of either. */
const atOnce = { quick: 200, slow: 100, toOneQuick: 10, toOneSlow: 2 }
/** For how long a post holds its turn among the quick ones, in milliseconds: who takes longer is slow. */
const quickTime = 2_000
/** How many are claimed of a project that is new or slow, and at most; doubled while it is quick. */
const pageSizes = { slow: 5, first: 100, largest: 500 }
/** Of so many projects is remembered how quickly they answer. */
const mostKnown = 10_000

type Endpoint = { readonly isSlow: boolean; readonly pageSize: number }
const unknown: Endpoint = { isSlow: false, pageSize: pageSizes.first }

type Deps = { readonly sleep: Sleep; readonly accountOf: AccountOf }

/**
 * Turns at posting. Accounts take turns, however many projects each has; how fast a receiver is counts by project. A slow receiver does
 * not delay a fast one: after two seconds its post goes on without a turn, and its next posts wait among the slow ones.
 */
export const endpointTurns = ({ sleep, accountOf }: Deps) => {
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

  /** Whether it ends in time; learns it. */
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
    /** How many events of the project are worth claiming, where one post takes so many. */
    pageSize: (projectId: string, perPost: number): number =>
      Math.min(pageSizes.largest, of(projectId).pageSize * perPost),

    /** Called when a whole page was posted in good time. */
    grow: (projectId: string): void => {
      const { isSlow, pageSize } = of(projectId)
      if (!isSlow) learn(projectId, { isSlow, pageSize: Math.min(pageSizes.largest, pageSize * 2) })
    },

    /** A limiter of the posts of one page. */
    toOne: (projectId: string) => fairLimiter(of(projectId).isSlow ? atOnce.toOneSlow : atOnce.toOneQuick),

    /** Posts when it is the turn of the project's account. */
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

export type EndpointTurns = ReturnType<typeof endpointTurns>
