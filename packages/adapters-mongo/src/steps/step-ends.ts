import { retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import { type Step, type StepMove, stepMoves } from '../ledger/step.js'
import type { StepWrites } from './step-writes.js'

/** Swept steps are kept for 15 minutes, in ms: a process that was only frozen continues its steps for at most 5 minutes. */
const keeping = 15 * 60_000

type Deps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly writes: Pick<StepWrites, 'wipe'>
  /** The time that many milliseconds from now. */
  readonly later: (milliseconds: number) => Date
}

/** Changes the state of stored steps, keeps them for a while, and removes them. */
export const stepEnds = ({ collections: { steps }, writes, later }: Deps) => {
  /** Moves the step's state; returns whether it is now the target state, by this try or an earlier one. */
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

  /** Marks carried-out steps as done; returns those that no sweep has taken over. */
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

  /** Keeps the step and its marks until no late write can reach the server. */
  const setAside = async ({ _id }: Step): Promise<void> => {
    const kept = { swept: true, sweepAt: later(keeping), lock: _id } as const
    const change = { $set: kept, $unset: { about: true } } as const
    await retried(() => steps.updateOne({ _id, state: { $in: ['undone', 'left'] } }, change))
  }

  return { advance, clear, finished, setAside }
}
export type StepEnds = ReturnType<typeof stepEnds>
