import type { Counters, Take } from '@posthorn/core'
import type { Collection, Filter, UpdateFilter } from 'mongodb'
import { insertNew } from './insert-new.js'
import type { CounterDocument, LedgerCollections } from './mongo-ledger.js'
import type { Steps } from './mongo-steps.js'
import { retried } from './retried.js'

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
export const createCounters = (counters: Collection<CounterDocument>, keys: Iterable<string>): Promise<void> =>
  insertNew(
    counters,
    [...keys].map((_id) => ({ _id, value: 0, _steps: [] })),
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
  const used = async (key: string) => (await retried(() => counters.findOne({ _id: key })))?.value ?? 0

  /** Adds to the count and says when that is forgotten, if the limit leaves as much. Answers whether it does. */
  const raise = async (key: string, demand: Demand, $set?: { readonly expires: string }): Promise<boolean> => {
    const change = { $inc: { value: demand.n }, ...($set && { $set }) }
    return (await counters.updateOne(within({ _id: key }, demand), change)).matchedCount > 0
  }

  /** The takes of the only key, in one conditional update. */
  const takeOfOne = async (takes: readonly Take[], key: string, demand: Demand): Promise<Take | undefined> => {
    for (;;) {
      if (await raise(key, demand)) return undefined
      const refused = refusedOf(takes, new Map([[key, await used(key)]]))
      if (refused) return refused
      await createCounters(counters, [key])
    }
  }

  return {
    take: async (takes) => {
      const [[key, demand] = [], ...others] = demandsOf(takes)
      if (!key || !demand) return undefined
      return others.length > 0 ? (await steps.run({ takes })).refused : takeOfOne(takes, key, demand)
    },

    takeUpTo: async ({ key, n, limit = Number.POSITIVE_INFINITY }, expires) => {
      for (let count = 0; ; count = await used(key)) {
        const taken = Math.min(n, limit - count)
        if (taken <= 0) return 0
        if (await raise(key, { n: taken, most: limit - taken }, { expires: expires.toISOString() })) return taken
        await createCounters(counters, [key])
      }
    },

    give: async ({ key, n }) => {
      await lower(counters, { _id: key }, n)
    },

    used,

    prune: async (now) => {
      await retried(() => counters.deleteMany({ expires: { $lte: now.toISOString() } }))
    },
  }
}
