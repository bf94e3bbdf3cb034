import type { Figure, Give, Take } from '@posthorn/core'
import type { AnyBulkWriteOperation, Collection, UpdateFilter } from 'mongodb'
import { insertNew } from './insert-new.js'
import { createCounters, demandsOf, lower, raise, refusedOf } from './mongo-counters.js'
import { newRevision } from './mongo-document.js'
import { addFigures, figureId, summed } from './mongo-figures.js'
import type { CounterDocument, LedgerCollections, Marks } from './mongo-ledger.js'
import { type Effects, type Move, type Step, undone } from './mongo-step.js'

export const tooLate = 'It took too long and was undone by another process; nothing has happened'

type Written = Marks & { readonly _id: string; readonly _revision?: string }

/** What a repository changes has to notice who else does. */
const revisionOf = (collection: string) => (collection === 'dispatches' ? { _revision: newRevision() } : {})

const updateOf = ({ in: collection, set, unset = [], add }: Move, step: string): UpdateFilter<Written> => ({
  $set: { ...set, ...revisionOf(collection) },
  ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, true])) }),
  ...(add && { $inc: add }),
  $push: { _steps: step },
})

const operationOf = (move: Move, step: string): AnyBulkWriteOperation<Written> => ({
  updateOne: { filter: { ...move.where, _id: move._id, _steps: { $ne: step } }, update: updateOf(move, step) },
})

/** Each key once. */
const sumsOf = (gives: readonly Give[]): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { key, n } of gives) sums.set(key, (sums.get(key) ?? 0) + n)
  return sums
}

const touched = ({ plan: { takes = [], moves = [], brings } }: Step) => {
  const effects = [brings ?? {}, ...moves.map((move) => move.brings ?? {})]
  return {
    counters: [...takes, ...effects.flatMap(({ gives = [] }) => gives)].map(({ key }) => key),
    figures: effects.flatMap(({ figures = [] }) => figures).map(figureId),
    deliveries: moves.filter((move) => move.in === 'deliveries').map(({ _id }) => _id),
    dispatches: moves.filter((move) => move.in === 'dispatches').map(({ _id }) => _id),
  }
}

/**
 * The writes that steps are made of. Each leaves the step's mark on what it changes and passes over what has the mark, so that it
 * happens once, whoever does it again.
 */
export const stepWrites = (collections: LedgerCollections) => {
  const { counters, figures, deliveries, dispatches, contacts } = collections
  const moved = { deliveries, dispatches } as unknown as Readonly<Record<Move['in'], Collection<Written>>>

  /** What each key counts without this step. */
  const usedBeside = async (step: string, demands: ReturnType<typeof demandsOf>) => {
    const found = await counters.find({ _id: { $in: [...demands.keys()] } }).toArray()
    return new Map(
      found.map(({ _id, value, _steps = [] }) => [
        _id,
        value - (_steps.includes(step) ? (demands.get(_id)?.n ?? 0) : 0),
      ]),
    )
  }

  /** Takes one key after the other; answers the take that was refused, then some may have been taken. */
  const take = async (step: string, takes: readonly Take[]): Promise<Take | undefined> => {
    const demands = demandsOf(takes)
    const used = await usedBeside(step, demands)
    const refused = refusedOf(takes, used)
    if (refused) return refused
    await createCounters(
      counters,
      [...demands.keys()].filter((key) => !used.has(key)),
    )
    for (const [key, demand] of demands) {
      const fits = { _id: key, _steps: { $nin: [step, undone(step)] } }
      if (await raise(counters, fits, demand, { $push: { _steps: step } })) continue
      const marks = (await counters.findOne({ _id: key }))?._steps ?? []
      if (marks.includes(undone(step))) throw new Error(tooLate)
      if (!marks.includes(step))
        return refusedOf(takes, await usedBeside(step, demands)) ?? takes.find((one) => one.key === key)
    }
    return undefined
  }

  /** Gives back what was taken, and bars what was not: a take that was on its way all the while comes too late. */
  const undo = async (step: string, takes: readonly Take[]): Promise<void> => {
    const demands = demandsOf(takes)
    await createCounters(counters, demands.keys())
    const barred = undone(step)
    for (const [key, { n }] of demands)
      for (;;) {
        if (
          await lower(counters, { _id: key, _steps: step }, n, {
            $set: { '_steps.$': barred } as Partial<CounterDocument>,
          })
        )
          break
        const bar = { $addToSet: { _steps: barred } }
        if ((await counters.updateOne({ _id: key, _steps: { $ne: step } }, bar)).matchedCount > 0) break
      }
  }

  /** Makes the moves and answers those that were made, now or by an earlier try. */
  const move = async (step: string, moves: readonly Move[]): Promise<readonly Move[]> => {
    const made: Move[] = []
    for (const collection of ['dispatches', 'deliveries'] as const) {
      const mine = moves.filter((one) => one.in === collection)
      if (mine.length === 0) continue
      const { matchedCount } = await moved[collection].bulkWrite(
        mine.map((one) => operationOf(one, step)),
        { ordered: false },
      )
      if (matchedCount === mine.length) {
        made.push(...mine)
        continue
      }
      const ids = mine.map(({ _id }) => _id)
      const marked = moved[collection].find({ _id: { $in: ids }, _steps: step }, { projection: { _id: 1 } })
      const found = new Set((await marked.toArray()).map(({ _id }) => _id))
      made.push(...mine.filter(({ _id }) => found.has(_id)))
    }
    return made
  }

  const receive = async (received: NonNullable<Effects['received']>) => {
    if (received.length === 0) return
    const updates = received.map(({ contactId, at }) => ({
      updateOne: {
        filter: { _id: contactId, $or: [{ lastReceiveDate: { $lt: at } }, { lastReceiveDate: { $exists: false } }] },
        update: { $set: { lastReceiveDate: at, _revision: newRevision() } },
      },
    }))
    await contacts.bulkWrite(updates, { ordered: false })
  }

  /** Does what comes with the step and with the moves that were made. */
  const bring = async (step: string, all: readonly Effects[]): Promise<void> => {
    await insertNew(
      dispatches,
      all.flatMap((effects) => effects.dispatches ?? []),
    )
    await insertNew(
      deliveries,
      all.flatMap((effects) => effects.deliveries ?? []),
    )
    for (const [key, n] of sumsOf(all.flatMap(({ gives = [] }) => gives)))
      await lower(counters, { _id: key, _steps: { $ne: step } }, n, { $push: { _steps: step } })
    await addFigures(figures, summed(all.flatMap((effects): readonly Figure[] => effects.figures ?? [])), step)
    await receive(all.flatMap(({ received = [] }) => received))
  }

  /** Takes the step's marks away: from then on nothing would keep a write of it from happening again. */
  const wipe = async (step: Step): Promise<void> => {
    const marks = [step._id, undone(step._id)]
    for (const [name, ids] of Object.entries(touched(step))) {
      if (ids.length === 0) continue
      const collection = collections[name as keyof ReturnType<typeof touched>] as unknown as Collection<Written>
      await collection.updateMany({ _id: { $in: ids }, _steps: { $in: marks } }, { $pull: { _steps: { $in: marks } } })
    }
  }

  return { take, undo, move, bring, wipe }
}
