import { setNewest } from '../kernel/byte-bounded-cache.js'
import { concurrencyLimiter } from '../kernel/limiter.js'
import type { Sleep } from '../kernel/ports.js'
import type { AccountOf } from '../projects/project.js'
import type { WebhookRef } from './ports.js'

/** Concurrent posts: to all quick receivers, all slow ones, and one of each. */
const atOnce = { quick: 200, slow: 100, toOneQuick: 10, toOneSlow: 2 }
/** In ms; a receiver that takes longer is slow. */
const quickTime = 2_000
/** Events claimed at once: of a slow receiver, at first, and at most. Doubles while the receiver is quick. */
const pageSizes = { slow: 5, first: 100, largest: 500 }
/** Webhooks whose speed is remembered. */
const mostKnown = 10_000

type Endpoint = { readonly isSlow: boolean; readonly pageSize: number }
const unknown: Endpoint = { isSlow: false, pageSize: pageSizes.first }

type Deps = { readonly sleep: Sleep; readonly accountOf: AccountOf }

/**
 * Accounts take turns; speed is measured by webhook. After two seconds a post continues without a slot, and the
 * receiver's next posts wait in the slow queue.
 */
export const endpointLimiter = ({ sleep, accountOf }: Deps) => {
  const known = new Map<string, Endpoint>()
  const quick = concurrencyLimiter({ total: atOnce.quick })
  const slow = concurrencyLimiter({ total: atOnce.slow })

  const of = (webhookId: string) => known.get(webhookId) ?? unknown
  const learn = (webhookId: string, endpoint: Endpoint) => setNewest(known, webhookId, endpoint, mostKnown)

  /** Waits for the post or the time limit, and remembers which came first. */
  const isQuick = async (webhookId: string, posted: Promise<unknown>): Promise<void> => {
    const over = new AbortController()
    const isSlow = await Promise.race([
      posted.then(
        () => false,
        () => false,
      ),
      sleep(quickTime, over.signal).then(() => !over.signal.aborted),
    ])
    over.abort()
    const before = of(webhookId)
    if (isSlow) learn(webhookId, { isSlow, pageSize: pageSizes.slow })
    else if (before.isSlow) learn(webhookId, unknown)
  }

  return {
    pageSize: (webhookId: string, perPost: number): number =>
      Math.min(pageSizes.largest, of(webhookId).pageSize * perPost),

    /** Call after a whole page was posted in time. */
    grow: (webhookId: string): void => {
      const { isSlow, pageSize } = of(webhookId)
      if (!isSlow) learn(webhookId, { isSlow, pageSize: Math.min(pageSizes.largest, pageSize * 2) })
    },

    toOne: (webhookId: string) =>
      concurrencyLimiter({ total: of(webhookId).isSlow ? atOnce.toOneSlow : atOnce.toOneQuick }),

    take: async <T>({ projectId, webhookId }: WebhookRef, post: () => Promise<T>): Promise<T> => {
      const accountId = await accountOf(projectId)
      const begin = () => {
        const posted = post()
        return { posted, learnt: isQuick(webhookId, posted) }
      }
      if (of(webhookId).isSlow) return slow.run(accountId, () => begin().posted)
      return new Promise((resolve, reject) => {
        void quick.run(accountId, async () => {
          const { posted, learnt } = begin()
          posted.then(resolve, reject)
          await learnt
        })
      })
    },
  }
}

export type EndpointLimiter = ReturnType<typeof endpointLimiter>
