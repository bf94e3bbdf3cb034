import {
  type Figure,
  type FigureMetric,
  type Figures,
  figureMetricNames,
  quarterHourOf,
  type TimeSpan,
} from '@posthorn/core/ports/storage'
import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import { insertNew } from '../connection/duplicate-keys.js'
import { retried } from '../connection/retries.js'
import type { FigureDocument, LedgerCollections } from './ledger-collections.js'
import type { LedgerSteps } from './step.js'

/** A figure is the sum of its parts, each a document. */
export const figureId = ({ subject, metric, slot }: Omit<Figure, 'n'>, part: number) =>
  `${slot} ${metric} ${subject} ${part}`

const emptyFigure = (_id: string, { subject, metric, slot }: Omit<Figure, 'n'>) => ({
  _id,
  subject,
  metric,
  slot,
  n: 0,
  _steps: [],
})

type Added = { readonly step: string; readonly part: number; readonly figures: readonly Figure[] }

export const addFigures = async (figures: Collection<FigureDocument>, all: readonly Added[]): Promise<void> => {
  const added = all.flatMap(({ step, part, figures: some }) =>
    some.map((figure) => ({ step, figure, _id: figureId(figure, part) })),
  )
  if (added.length === 0) return
  // A fixed order, so that two batches cannot deadlock.
  added.sort((one, other) => (one._id < other._id ? -1 : one._id > other._id ? 1 : 0))
  const add = async () => {
    const updates = added.map(
      ({ step, figure, _id }): AnyBulkWriteOperation<FigureDocument> => ({
        updateOne: {
          filter: { _id, _steps: { $ne: step } },
          update: { $inc: { n: figure.n }, $push: { _steps: step } },
        },
      }),
    )
    return (await figures.bulkWrite(updates, { ordered: false })).matchedCount
  }
  if ((await add()) === added.length) return
  const missing = new Map(added.map(({ _id, figure }) => [_id, emptyFigure(_id, figure)]))
  await insertNew(figures, [...missing.values()])
  await add()
}

export const summedFigures = (figures: readonly Figure[]): readonly Figure[] => {
  const sums = new Map<string, Figure>()
  for (const figure of figures) {
    const key = `${figure.slot} ${figure.metric} ${figure.subject}`
    sums.set(key, { ...figure, n: figure.n + (sums.get(key)?.n ?? 0) })
  }
  return [...sums.values()]
}

const within = ({ from, to }: TimeSpan) => ({
  $gte: from ? quarterHourOf(from) : '',
  ...(to && { $lt: quarterHourOf(to) }),
})

export const mongoFigures = ({ figures }: Pick<LedgerCollections, 'figures'>, steps: LedgerSteps): Figures => ({
  add: async (added) => {
    if (added.length > 0) await steps.run({ brings: { figures: added } })
  },

  totals: async (subject, span) => {
    await steps.carriedOut()
    const match = { subject, metric: { $in: [...figureMetricNames] }, slot: within(span), n: { $gt: 0 } }
    const sums = await retried(() =>
      figures
        .aggregate<{ _id: FigureMetric; n: number }>([
          { $match: match },
          { $group: { _id: '$metric', n: { $sum: '$n' } } },
        ])
        .toArray(),
    )
    return Object.fromEntries(sums.map(({ _id, n }) => [_id, n]))
  },

  totalsOf: async (subjects, metric) => {
    await steps.carriedOut()
    const match = { subject: { $in: [...subjects] }, metric, n: { $gt: 0 } }
    const sums = await retried(() =>
      figures
        .aggregate<{ _id: string; n: number }>([{ $match: match }, { $group: { _id: '$subject', n: { $sum: '$n' } } }])
        .toArray(),
    )
    return Object.fromEntries(sums.map(({ _id, n }) => [_id, n]))
  },

  slots: async (subject, metric, span) => {
    await steps.carriedOut()
    const match = { subject, metric, slot: within(span), n: { $gt: 0 } }
    const sums = await retried(() =>
      figures
        .aggregate<{ _id: string; n: number }>([
          { $match: match },
          { $group: { _id: '$slot', n: { $sum: '$n' } } },
          { $sort: { _id: 1 } },
        ])
        .toArray(),
    )
    return sums.map(({ _id: slot, n }) => ({ slot, n }))
  },

  /** Ids begin with their slot: the index on `_id` finds old ones. */
  prune: async (before, limit) => {
    const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit, batchSize: limit } as const
    const old = await retried(() => figures.find({ _id: { $lt: quarterHourOf(before) } }, options).toArray())
    if (old.length > 0) await retried(() => figures.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } }))
    return old.length
  },
})
