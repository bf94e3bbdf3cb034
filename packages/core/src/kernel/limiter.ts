import { busy } from './refusal.js'

type Limits = {
  /** Weight of all running work; default: unlimited. */
  readonly total?: number
  /** Weight of one owner's running work; default: `total`. */
  readonly perOwner?: number
  /** Requests of one owner that may wait; default: unlimited. */
  readonly waiting?: number
}

/** The share that running work holds. */
type HeldWeight = {
  /** Replaces the weight by the actual one, for example of what is left; 0 ends it. */
  readonly settle: (weight: number) => void
}

type Waiting = { readonly weight: number; readonly begin: () => void }

const unlimited = Number.POSITIVE_INFINITY

/**
 * Limits concurrent work by weight. Owners take turns, and the work of one owner starts in order; light work does not
 * overtake heavy work. Work heavier than a limit runs alone.
 */
export const concurrencyLimiter = ({
  total = unlimited,
  perOwner = total,
  waiting: mostWaiting = unlimited,
}: Limits) => {
  const used = new Map<string, number>()
  const queues = new Map<string, Waiting[]>()
  const heaviest = Math.min(total, perOwner)
  let usedByAll = 0

  const add = (owner: string, weight: number): void => {
    usedByAll += weight
    const own = (used.get(owner) ?? 0) + weight
    if (own > 0) used.set(owner, own)
    else used.delete(owner)
  }

  const beginNext = (): boolean => {
    for (const [owner, queue] of queues) {
      const [next] = queue
      if (!next || (used.get(owner) ?? 0) + next.weight > perOwner) continue
      if (usedByAll + next.weight > total) return false
      queue.shift()
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
      add(owner, next.weight)
      next.begin()
      return true
    }
    return false
  }

  const pump = (): void => {
    while (beginNext());
  }

  /** Undefined if too many requests of the owner wait. */
  const take = (owner: string, weight = 1): Promise<HeldWeight> | undefined => {
    let charged = Math.min(weight, heaviest)
    const charge: HeldWeight = {
      settle: (actual) => {
        const more = Math.min(actual, heaviest) - charged
        charged += more
        add(owner, more)
        pump()
      },
    }
    const queue = queues.get(owner) ?? []
    queues.set(owner, queue)
    const begun = new Promise<HeldWeight>((resolve) => {
      queue.push({ weight: charged, begin: () => resolve(charge) })
    })
    pump()
    if (queue.length <= mostWaiting) return begun
    queue.pop()
    if (queue.length === 0) queues.delete(owner)
    return undefined
  }

  return {
    take,

    /** @throws Refusal `busy` if too many requests of the owner wait */
    run: async <T>(owner: string, task: () => Promise<T>): Promise<T> => {
      const charge = await take(owner)
      if (!charge) throw busy('Too many operations are waiting. Please try again in a minute.')
      try {
        return await task()
      } finally {
        charge.settle(0)
      }
    },

    /** Whether nothing runs or waits. */
    isIdle: (): boolean => usedByAll === 0 && queues.size === 0,
  }
}
