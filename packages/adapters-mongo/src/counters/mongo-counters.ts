import type { Counters } from '@posthorn/core'
import { answered, retried } from '../connection/retried.js'
import { createCounters, within } from '../steps/counter-writes.js'
import type { LedgerCollections } from '../steps/ledger-collections.js'
import type { Steps } from '../steps/step.js'

/**
 * A counter is a document. What is taken and given is a step, so that it happens once even where an answer is lost; what is taken of
 * a window of time is one update, which at worst is lost with its window.
 */
export const mongoCounters = ({ counters }: Pick<LedgerCollections, 'counters'>, steps: Steps): Counters => {
  const found = (key: string) => retried(() => counters.findOne({ _id: key }))

  return {
    take: async (takes) => (takes.length > 0 ? (await steps.run({ takes })).refused : undefined),

    takeUpTo: async ({ key, n, limit = Number.POSITIVE_INFINITY }, until) => {
      const expires = until.toISOString()
      for (let count = 0; ; ) {
        const taken = Math.min(n, limit - count)
        if (taken <= 0) return 0
        const fits = within({ _id: key }, limit - taken)
        const { matchedCount } = await answered(() =>
          counters.updateOne(fits, { $inc: { value: taken }, $set: { expires } }),
        )
        if (matchedCount > 0) return taken
        const counter = await found(key)
        if (!counter) await retried(() => createCounters(counters, [key], { expires }))
        count = counter?.value ?? 0
      }
    },

    give: async (give) => {
      await steps.run({ brings: { gives: [give] } })
    },

    used: async (key) => (await found(key))?.value ?? 0,

    prune: async (now) => {
      await retried(() => counters.deleteMany({ expires: { $lte: now.toISOString() } }))
    },
  }
}
