import type { Counters, Take } from '@posthorn/core'
import type { Collection, Filter, UpdateFilter } from 'mongodb'
import { insertNew } from './insert-new.js'
import type { CounterDocument, LedgerCollections } from './mongo-ledger.js'
import type { Steps } from './mongo-steps.js'
import { retried } from './retried.js'

type Expiry = Pick<CounterDocument, 'expires'>
type Demand = { readonly n: number; readonly most: number }

/** What each key is to grow by, and the most that it may count before that. */
export const demandsOf = (takes: readonly Take[]): ReadonlyMap<string, Demand> => {
  const demands = new Map<string, Demand>()
  for (const { key, n, limit = Number.POSITIVE_INFINITY } of takes) {
    const before = demands.get(key) ?? { n: 0, most: Number.POSITIVE_INFINITY }
    const sum = before.n + n
    demands.set(key, { n: sum, most: Math.min(before.most, limit - sum) })
  }
  return demands
}

/** The first take that would pass its limit. */
export const refusedOf = (takes: readonly Take[], used: ReadonlyMap<string, number>): Take | undefined => {
  const wanted = new Map(used)
  return takes.find(({ key, n, limit }) => {
    const sum = (wanted.get(key) ?? 0) + n
    wanted.set(key, sum)
    return limit !== undefined && sum > limit
  })
}

/** Keys that were never counted become documents that count nothing, so that all else is an update. */
export const createCounters = (
  counters: Collection<CounterDocument>,
  keys: Iterable<string>,
  expiry: Expiry = {},
): Promise<void> =>
  insertNew(
    counters,
    [...keys].map((_id) => ({ _id, value: 0, _steps: [], ...expiry })),
  )

/** Where the document fits and counts at most `most`. */
export const within = (fits: Filter<CounterDocument>, { most }: Demand): Filter<CounterDocument> => ({
  ...fits,
  ...(Number.isFinite(most) && { value: { $lte: most } }),
})

/** Takes away `n`, or all there is, where the document fits. Answers whether it did. */
export const lower = async (
  counters: Collection<CounterDocument>,
  fits: Filter<CounterDocument>,
  n: number,
  also: UpdateFilter<CounterDocument> = {},
): Promise<boolean> => {
  const { $set, ...rest } = also
  for (;;) {
    const enough = await counters.updateOne({ ...fits, value: { $gte: n } }, { ...also, $inc: { value: -n } })
    if (enough.matchedCount > 0) return true
    const less = await counters.updateOne({ ...fits, value: { $lt: n } }, { ...rest, $set: { ...$set, value: 0 } })
    if (less.matchedCount > 0) return true
    if (!(await counters.findOne(fits))) return false
  }
}

/** A counter is a document. What is taken of several at once is a step. */
export const mongoCounters = ({ counters }: Pick<LedgerCollections, 'counters'>, steps: Steps): Counters => {
  const found = (key: string) => retried(() => counters.findOne({ _id: key }))

  /** What the key counts; from now on it is a document. */
  const ensured = async (key: string, expiry: Expiry): Promise<number> => {
    const counter = await found(key)
    if (!counter) await createCounters(counters, [key], expiry)
    return counter?.value ?? 0
  }

  /** Adds to the count, if that leaves it within the limit. Answers whether it does. */
  const raise = async (key: string, demand: Demand, expiry: Expiry): Promise<boolean> => {
    const change = { $inc: { value: demand.n }, ...(expiry.expires !== undefined && { $set: expiry }) }
    return (await counters.updateOne(within({ _id: key }, demand), change)).matchedCount > 0
  }

  /** The takes of the only key, in one conditional update. */
  const takeOfOne = async (takes: readonly Take[], key: string, demand: Demand): Promise<Take | undefined> => {
    while (!(await raise(key, demand, {}))) {
      const refused = refusedOf(takes, new Map([[key, await ensured(key, {})]]))
      if (refused) return refused
    }
    return undefined
  }

  return {
    take: async (takes) => {
      const [first, ...others] = demandsOf(takes)
      if (!first) return undefined
      return others.length > 0 ? (await steps.run({ takes })).refused : takeOfOne(takes, ...first)
    },

    takeUpTo: async ({ key, n, limit = Number.POSITIVE_INFINITY }, until) => {
      const expiry = { expires: until.toISOString() }
      for (let count = 0; ; count = await ensured(key, expiry)) {
        const taken = Math.min(n, limit - count)
        if (taken <= 0) return 0
        if (await raise(key, { n: taken, most: limit - taken }, expiry)) return taken
      }
    },

    give: async ({ key, n }) => {
      await lower(counters, { _id: key }, n)
    },

    used: async (key) => (await found(key))?.value ?? 0,

    prune: async (now) => {
      await retried(() => counters.deleteMany({ expires: { $lte: now.toISOString() } }))
    },
  }
}
