import { retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import { type Step, type StepMove, stepMoves } from '../ledger/step.js'
import type { StepWrites } from './step-writes.js'

/** How long a step is kept when it has been swept, should its process have been frozen and not dead: longer than it goes on with it. */
const keeping = 15 * 60_000

type Deps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly writes: Pick<StepWrites, 'wipe'>
  /** So many milliseconds from now. */
  readonly later: (milliseconds: number) => Date
}

/** What becomes of the documents of steps: where they move, that they are kept for a while, and that they go. */
export const stepEnds = ({ collections: { steps }, writes, later }: Deps) => {
  /** Whether the step is now where the move leads, by this try or an earlier one. */
  const advance = (_id: string, move: StepMove, tries = retried): Promise<boolean> =>
    tries(async () => {
      const { from, to } = stepMoves[move]
      const { matchedCount } = await steps.updateOne({ _id, state: { $in: [...from] } }, { $set: { state: to } })
      return matchedCount > 0 || (await steps.findOne({ _id, state: to })) !== null
    })

  /** Removes the marks of the steps, and then the steps. */
  const clear = async (several: readonly Step[]): Promise<void> => {
    await retried(() => writes.wipe(several))
    await retried(() => steps.deleteMany({ _id: { $in: several.map(({ _id }) => _id) } }))
  }

  /** Of these, which are all carried out: those that are to be finished, and that no sweep has taken over. */
  const finished = async (several: readonly Step[]): Promise<readonly Step[]> => {
    const _id = { $in: several.map((step) => step._id) }
    const { from, to } = stepMoves.finish
    return retried(async () => {
      const { matchedCount } = await steps.updateMany({ _id, state: { $in: [...from] } }, { $set: { state: to } })
      if (matchedCount === several.length) return several
      const found = await steps.find({ _id, state: to }, { projection: { _id: 1 } }).toArray()
      const ids = new Set(found.map((step) => step._id))
      return several.filter((step) => ids.has(step._id))
    })
  }

  /** Keeps the step, and its marks, until nothing that is still on its way can arrive any more. */
  const setAside = async ({ _id }: Step): Promise<void> => {
    const kept = { swept: true, sweepAt: later(keeping), lock: _id } as const
    const change = { $set: kept, $unset: { about: true, due: true } } as const
    await retried(() => steps.updateOne({ _id, state: { $in: ['undone', 'left'] } }, change))
  }

  return { advance, clear, finished, setAside }
}
export type StepEnds = ReturnType<typeof stepEnds>
