import { type Figures, type Metric, metrics, type Span, slotOf } from '@posthorn/core'
import { retried } from '../connection/retried.js'
import type { LedgerCollections } from '../steps/ledger-collections.js'
import type { Steps } from '../steps/step.js'

/** Every slot is later than the empty one. */
const within = ({ from, to }: Span) => ({ $gte: from ? slotOf(from) : '', ...(to && { $lt: slotOf(to) }) })

/** Statistics, a document for each quarter of an hour in which there was something to count. */
export const mongoFigures = ({ figures }: Pick<LedgerCollections, 'figures'>, steps: Steps): Figures => ({
  add: async (added) => {
    if (added.length > 0) await steps.run({ brings: { figures: added } })
  },

  totals: async (subject, span) => {
    const match = { subject, metric: { $in: [...metrics] }, slot: within(span), n: { $gt: 0 } }
    const sums = await retried(() =>
      figures
        .aggregate<{ _id: Metric; n: number }>([{ $match: match }, { $group: { _id: '$metric', n: { $sum: '$n' } } }])
        .toArray(),
    )
    return Object.fromEntries(sums.map(({ _id, n }) => [_id, n]))
  },

  slots: async (subject, metric, span) =>
    retried(() =>
      figures
        .find({ subject, metric, slot: within(span), n: { $gt: 0 } }, { projection: { _id: 0, slot: 1, n: 1 } })
        .sort({ slot: 1 })
        .toArray(),
    ),
})
