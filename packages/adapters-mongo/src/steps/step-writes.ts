import { type CounterGive, type CounterTake, dispatchIdOf } from '@posthorn/core/ports/storage'
import type { AnyBulkWriteOperation, Collection, UpdateFilter } from 'mongodb'
import { insertNew } from '../connection/duplicate-keys.js'
import {
  type CounterDocument,
  deliveryIdsFilter,
  type LedgerCollections,
  type StepMarks,
} from '../ledger/ledger-collections.js'
import {
  counterAtMostFilter,
  counterDemands,
  insertMissingCounters,
  lowerCounter,
  refusedTake,
} from '../ledger/mongo-counters.js'
import { addFigures, figureId, summedFigures } from '../ledger/mongo-figures.js'
import { type LedgerDocumentChange, type LedgerStep, type StepEffects, undoneStepMark } from '../ledger/step.js'
import { newRevision } from '../records/documents.js'

export const undoneStepMessage = 'It took too long and was undone by another process. Nothing has happened.'

type Written = StepMarks & { readonly _id: string; readonly _revision?: string }

/** `Collection` is invariant in its document type. */
const written = <T extends StepMarks & { readonly _id: string }>(collection: Collection<T>) =>
  collection as unknown as Collection<Written>

/** Repositories detect concurrent changes by `_revision`. */
const revisionOf = (collection: string) => (collection === 'deliveries' ? {} : { _revision: newRevision() })

const updateOf = (
  { in: collection, set, unset = [], add }: LedgerDocumentChange,
  step: string,
): UpdateFilter<Written> => ({
  $set: { ...set, ...revisionOf(collection) },
  ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, true])) }),
  ...(add && { $inc: add }),
  $push: { _steps: step },
})

const placeOf = ({ in: collection, _id }: LedgerDocumentChange) =>
  collection === 'deliveries' ? { _id, dispatchId: dispatchIdOf(_id) } : { _id }

const idsIn = (collection: LedgerDocumentChange['in'], ids: readonly string[]) =>
  collection === 'deliveries' ? deliveryIdsFilter(ids) : { _id: { $in: ids.toSorted() } }

const operationOf = (move: LedgerDocumentChange, step: string): AnyBulkWriteOperation<Written> => ({
  updateOne: { filter: { ...placeOf(move), ...move.where, _steps: { $ne: step } }, update: updateOf(move, step) },
})

type Moving = { readonly step: string; readonly moves: readonly LedgerDocumentChange[] }
type Bringing = { readonly step: Pick<LedgerStep, '_id' | 'part'>; readonly effects: readonly StepEffects[] }

type Received = NonNullable<StepEffects['received']>
/** A fixed order, so that two batches cannot deadlock. */
const byContact = (a: Received[number], b: Received[number]) => (a.contactId < b.contactId ? -1 : 1)

const sumsOf = (gives: readonly CounterGive[]): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { key, n } of gives) sums.set(key, (sums.get(key) ?? 0) + n)
  return sums
}

const touched = ({ part, plan: { takes = [], moves = [], brings } }: LedgerStep) => {
  const effects = [brings ?? {}, ...moves.map((move) => move.brings ?? {})]
  return {
    counters: [...takes, ...effects.flatMap(({ gives = [] }) => gives)].map(({ key }) => key),
    figures: effects.flatMap(({ figures = [] }) => figures).map((figure) => figureId(figure, part)),
    deliveries: moves.filter((move) => move.in === 'deliveries').map(({ _id }) => _id),
    dispatches: moves.filter((move) => move.in === 'dispatches').map(({ _id }) => _id),
    subscribers: moves.filter((move) => move.in === 'subscribers').map(({ _id }) => _id),
  }
}

/** Each write marks its document and skips marked ones: it happens once. */
export const stepWrites = (collections: LedgerCollections) => {
  const { counters, figures, deliveries, dispatches, subscribers, contacts } = collections
  const moved: Readonly<Record<LedgerDocumentChange['in'], Collection<Written>>> = {
    deliveries: written(deliveries),
    dispatches: written(dispatches),
    subscribers: written(subscribers),
  }

  const usedBeside = async (step: string, demands: ReturnType<typeof counterDemands>) => {
    const found = await counters.find({ _id: { $in: [...demands.keys()] } }).toArray()
    return new Map(
      found.map(({ _id, value, _steps = [] }) => [
        _id,
        value - (_steps.includes(step) ? (demands.get(_id)?.n ?? 0) : 0),
      ]),
    )
  }

  /** Returns the refused take, if any; others must then be undone. */
  const take = async (step: string, takes: readonly CounterTake[]): Promise<CounterTake | undefined> => {
    const demands = counterDemands(takes)
    const keys = [...demands.keys()]
    const used = await usedBeside(step, demands)
    const refused = refusedTake(takes, used)
    if (refused || keys.length === 0) return refused
    await insertMissingCounters(
      counters,
      keys.filter((key) => !used.has(key)),
    )
    const unmarked = { $nin: [step, undoneStepMark(step)] }
    const updates = [...demands].map(([key, { n, most }]) => ({
      updateOne: {
        filter: counterAtMostFilter({ _id: key, _steps: unmarked }, most),
        update: { $inc: { value: n }, $push: { _steps: step } },
      },
    }))
    if ((await counters.bulkWrite(updates, { ordered: false })).matchedCount === keys.length) return undefined
    if (await counters.findOne({ _id: { $in: keys }, _steps: undoneStepMark(step) })) throw new Error(undoneStepMessage)
    const missed = await counters.findOne({ _id: { $in: keys }, _steps: { $ne: step } })
    return missed
      ? (refusedTake(takes, await usedBeside(step, demands)) ?? takes.find(({ key }) => key === missed._id))
      : undefined
  }

  /** Gives back, and bars counters, so that a late take has no effect. */
  const undo = async (step: string, takes: readonly CounterTake[]): Promise<void> => {
    const demands = counterDemands(takes)
    await insertMissingCounters(counters, demands.keys())
    const barred = undoneStepMark(step)
    const inPlace = { $set: { '_steps.$': barred } as Partial<CounterDocument> }
    const giveBack = (key: string, n: number) => lowerCounter(counters, { _id: key, _steps: step }, n, inPlace)
    const bar = async (key: string) =>
      (await counters.updateOne({ _id: key, _steps: { $ne: step } }, { $addToSet: { _steps: barred } })).matchedCount >
      0
    for (const [key, { n }] of demands) while (!((await giveBack(key, n)) || (await bar(key))));
  }

  /** Returns the moves made now or by an earlier try. */
  const move = async (several: readonly Moving[]): Promise<readonly (readonly LedgerDocumentChange[])[]> => {
    const made = new Set<LedgerDocumentChange>()
    for (const collection of ['dispatches', 'deliveries', 'subscribers'] as const) {
      const mine = several.flatMap(({ step, moves }) =>
        moves.filter((one) => one.in === collection).map((one) => ({ step, one })),
      )
      if (mine.length === 0) continue
      const { matchedCount } = await moved[collection].bulkWrite(
        mine.map(({ step, one }) => operationOf(one, step)),
        { ordered: false },
      )
      if (matchedCount === mine.length) {
        for (const { one } of mine) made.add(one)
        continue
      }
      const ids = [...new Set(mine.map(({ one }) => one._id))]
      const marks = { $in: several.map(({ step }) => step) }
      const options = { projection: { _id: 1, _steps: 1 }, batchSize: ids.length } as const
      const marked = await moved[collection].find({ ...idsIn(collection, ids), _steps: marks }, options).toArray()
      const stepsOf = new Map(marked.map(({ _id, _steps = [] }) => [_id, new Set(_steps)]))
      for (const { step, one } of mine) if (stepsOf.get(one._id)?.has(step)) made.add(one)
    }
    return several.map(({ moves }) => moves.filter((one) => made.has(one)))
  }

  /** A missing counter is created for the mark: a repeated give lowers nothing later. */
  const give = async (step: string, key: string, n: number): Promise<void> => {
    const giveBack = () => lowerCounter(counters, { _id: key, _steps: { $ne: step } }, n, { $push: { _steps: step } })
    if (await giveBack()) return
    await insertMissingCounters(counters, [key])
    await giveBack()
  }

  const receive = async (received: Received) => {
    if (received.length === 0) return
    const updates = received.toSorted(byContact).map(({ contactId, projectId, at }) => ({
      updateOne: {
        filter: { _id: contactId, projectId },
        update: { $max: { lastReceiveDate: at }, $set: { _revision: newRevision() } },
      },
    }))
    await contacts.bulkWrite(updates, { ordered: false })
  }

  const bring = async (several: readonly Bringing[]): Promise<boolean> => {
    const all = several.flatMap(({ effects }) => effects)
    await insertNew(
      dispatches,
      all.flatMap((effects) => effects.dispatches ?? []),
    )
    const areNew = await insertNew(
      deliveries,
      all.flatMap((effects) => effects.deliveries ?? []),
    )
    const gives = several.flatMap(({ step, effects }) =>
      [...sumsOf(effects.flatMap((one) => one.gives ?? []))].map(([key, n]) => ({ step: step._id, key, n })),
    )
    const added = several.map(({ step, effects }) => ({
      step: step._id,
      part: step.part,
      figures: summedFigures(effects.flatMap((one) => one.figures ?? [])),
    }))
    await Promise.all([
      ...gives.map(({ step, key, n }) => give(step, key, n)),
      addFigures(figures, added),
      receive(all.flatMap(({ received = [] }) => received)),
    ])
    return areNew
  }

  /** From then on a repeated write would happen again. */
  const wipe = async (steps: readonly LedgerStep[]): Promise<void> => {
    const marks = { $in: steps.flatMap(({ _id, plan }) => (plan.takes ? [_id, undoneStepMark(_id)] : [_id])) }
    const all = steps.map(touched)
    const wipeFrom = async (
      collection: Collection<Written>,
      lists: readonly (readonly string[])[],
      by: (ids: readonly string[]) => object = (ids) => ({ _id: { $in: ids.toSorted() } }),
    ) => {
      const ids = [...new Set(lists.flat())]
      if (ids.length > 0) await collection.updateMany({ ...by(ids), _steps: marks }, { $pull: { _steps: marks } })
    }
    await Promise.all([
      wipeFrom(
        written(counters),
        all.map((one) => one.counters),
      ),
      wipeFrom(
        written(figures),
        all.map((one) => one.figures),
      ),
      wipeFrom(
        moved.dispatches,
        all.map((one) => one.dispatches),
      ),
      wipeFrom(
        moved.subscribers,
        all.map((one) => one.subscribers),
      ),
      wipeFrom(
        moved.deliveries,
        all.map((one) => one.deliveries),
        deliveryIdsFilter,
      ),
    ])
  }

  return { take, undo, move, bring, wipe }
}
export type StepWrites = ReturnType<typeof stepWrites>
