import type { Counters, CounterTake } from '@posthorn/core/ports/storage'
import type { Collection, Filter, UpdateFilter } from 'mongodb'
import { insertNew } from '../connection/duplicate-keys.js'
import { retried, withTimeLimit } from '../connection/retries.js'
import type { CounterDocument, LedgerCollections } from './ledger-collections.js'
import type { LedgerSteps } from './step.js'

type Demand = { readonly n: number; readonly most: number }

/** The sum to add, and the highest value at which that is allowed. */
export const counterDemands = (takes: readonly CounterTake[]): ReadonlyMap<string, Demand> => {
  const demands = new Map<string, Demand>()
  for (const { key, n, limit = Number.POSITIVE_INFINITY } of takes) {
    const before = demands.get(key) ?? { n: 0, most: Number.POSITIVE_INFINITY }
    const sum = before.n + n
    demands.set(key, { n: sum, most: Math.min(before.most, limit - sum) })
  }
  return demands
}

export const refusedTake = (
  takes: readonly CounterTake[],
  used: ReadonlyMap<string, number>,
): CounterTake | undefined => {
  const wanted = new Map(used)
  return takes.find(({ key, n, limit }) => {
    const sum = (wanted.get(key) ?? 0) + n
    wanted.set(key, sum)
    return limit !== undefined && sum > limit
  })
}

/** Makes all other writes updates. */
export const insertMissingCounters = (
  counters: Collection<CounterDocument>,
  keys: Iterable<string>,
  expiry: Pick<CounterDocument, 'expires'> = {},
): Promise<unknown> =>
  insertNew(
    counters,
    [...keys].map((_id) => ({ _id, value: 0, _steps: [], ...expiry })),
  )

export const counterAtMostFilter = (fits: Filter<CounterDocument>, most: number): Filter<CounterDocument> => ({
  ...fits,
  ...(Number.isFinite(most) && { value: { $lte: most } }),
})

/** Not below 0. Returns whether the counter matched. */
export const lowerCounter = async (
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

/** Steps make takes and gives happen once. If the response of `takeUpTo` is lost, the counter is too high until it expires. */
export const mongoCounters = ({ counters }: Pick<LedgerCollections, 'counters'>, steps: LedgerSteps): Counters => {
  const found = (key: string) => retried(() => counters.findOne({ _id: key }))

  return {
    take: async (takes) => (takes.length > 0 ? (await steps.run({ takes })).refused : undefined),

    takeUpTo: async ({ key, n, limit = Number.POSITIVE_INFINITY }, until) => {
      const expires = until.toISOString()
      for (let count = 0; ; ) {
        const taken = Math.min(n, limit - count)
        if (taken <= 0) return 0
        const fits = counterAtMostFilter({ _id: key }, limit - taken)
        const { matchedCount } = await withTimeLimit(() =>
          counters.updateOne(fits, { $inc: { value: taken }, $set: { expires } }),
        )
        if (matchedCount > 0) return taken
        const counter = await found(key)
        if (!counter) await retried(() => insertMissingCounters(counters, [key], { expires }))
        count = counter?.value ?? 0
      }
    },

    give: async (give) => {
      await steps.run({ brings: { gives: [give] } })
    },

    used: async (key) => {
      if (steps.isWaiting(({ brings }) => (brings?.gives ?? []).length > 0)) await steps.carriedOut()
      return (await found(key))?.value ?? 0
    },

    prune: async (now) => {
      await retried(() => counters.deleteMany({ expires: { $lte: now.toISOString() } }))
    },
  }
}
