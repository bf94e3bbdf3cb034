import { type Figure, type Figures, type Metric, metrics, type Span, slotOf } from '@posthorn/core/ports'
import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import { insertNew } from '../connection/insert-new.js'
import { retried } from '../connection/retried.js'
import type { FigureDocument, LedgerCollections } from '../ledger/ledger-collections.js'
import type { Steps } from '../ledger/step.js'

export const figureId = ({ subject, metric, slot }: Omit<Figure, 'n'>) => `${slot} ${metric} ${subject}`

const emptyFigure = ({ subject, metric, slot }: Omit<Figure, 'n'>) => ({
  _id: figureId({ subject, metric, slot }),
  subject,
  metric,
  slot,
  n: 0,
  _steps: [],
})

/** Adds the figures, of which no two are of the same quarter and kind, once for this step however often it is asked to. */
export const addFigures = async (
  figures: Collection<FigureDocument>,
  added: readonly Figure[],
  step: string,
): Promise<void> => {
  if (added.length === 0) return
  const add = async () => {
    const updates = added.map(
      (figure): AnyBulkWriteOperation<FigureDocument> => ({
        updateOne: {
          filter: { _id: figureId(figure), _steps: { $ne: step } },
          update: { $inc: { n: figure.n }, $push: { _steps: step } },
        },
      }),
    )
    return (await figures.bulkWrite(updates, { ordered: false })).matchedCount
  }
  if ((await add()) === added.length) return
  await insertNew(figures, added.map(emptyFigure))
  await add()
}

/** Each quarter and kind once, and always in the same order, so that two batches never wait for each other. */
export const summed = (figures: readonly Figure[]): readonly Figure[] => {
  const sums = new Map<string, Figure>()
  for (const figure of figures) {
    const key = figureId(figure)
    sums.set(key, { ...figure, n: figure.n + (sums.get(key)?.n ?? 0) })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, figure]) => figure)
}

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

  totalsOf: async (subjects, metric) => {
    const match = { subject: { $in: [...subjects] }, metric, n: { $gt: 0 } }
    const sums = await retried(() =>
      figures
        .aggregate<{ _id: string; n: number }>([{ $match: match }, { $group: { _id: '$subject', n: { $sum: '$n' } } }])
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
