import type { Figure } from '@posthorn/core'
import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import { insertNew } from '../connection/insert-new.js'
import type { FigureDocument } from './ledger-collections.js'

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
