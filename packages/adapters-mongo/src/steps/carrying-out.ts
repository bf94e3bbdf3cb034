import { retried } from '../connection/retried.js'
import type { Effects, Move, Step } from '../ledger/step.js'
import { begunAt } from './patience.js'
import { type StepWrites, tooLate } from './step-writes.js'

/** How old a step may be for its own process to go on with it. */
const oldest = 5 * 60_000

export const movesOf = ({ plan: { moves = [] } }: Step): readonly Move[] => moves

const effectsOf = ({ plan: { brings } }: Step, made: readonly Move[]): readonly Effects[] =>
  [brings, ...made.map((move) => move.brings)].filter((some) => some !== undefined)

type Deps = { readonly writes: Pick<StepWrites, 'move' | 'bring'>; readonly now: () => Date }

/** What steps are to do, as long as they are not too old. */
export const carryingOut = ({ writes, now }: Deps) => {
  const isFresh = (step: Step): boolean => begunAt(step) + oldest >= now().getTime()

  /** A step that is too old is left to the sweeps: nobody may come so late that its marks are gone. @throws Error */
  const assertFresh = (step: Step): void => {
    if (!isFresh(step)) throw new Error(tooLate)
  }

  /** Makes the moves of the steps and does what comes with them. */
  const carryOut = async (several: readonly Step[], tries = retried) => {
    const moves = several.map((step) => ({ step: step._id, moves: movesOf(step) }))
    const made = await tries(() => writes.move(moves))
    for (const step of several) assertFresh(step)
    const effects = several.map((step, n) => ({ step, effects: effectsOf(step, made[n] ?? []) }))
    const areNew = await tries(() => writes.bring(effects))
    return { made: made.flat(), areNew }
  }

  return { isFresh, assertFresh, carryOut }
}
export type CarryingOut = ReturnType<typeof carryingOut>
