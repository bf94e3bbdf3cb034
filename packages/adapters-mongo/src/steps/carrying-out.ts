import { retried } from '../connection/retried.js'
import type { Effects, Move, Step } from '../ledger/step.js'
import { begunAt } from './patience.js'
import { type StepWrites, tooLate } from './step-writes.js'

/** Age in ms after which a process abandons its own step. Well below the time that steps are kept: see `step-ends.ts`. */
const oldest = 5 * 60_000

export const movesOf = ({ plan: { moves = [] } }: Step): readonly Move[] => moves

const effectsOf = ({ plan: { brings } }: Step, made: readonly Move[]): readonly Effects[] =>
  [brings, ...made.map((move) => move.brings)].filter((some) => some !== undefined)

type Deps = { readonly writes: Pick<StepWrites, 'move' | 'bring'>; readonly now: () => Date }

/** Carries out steps that are not too old. */
export const carryingOut = ({ writes, now }: Deps) => {
  const isFresh = (step: Step): boolean => begunAt(step) + oldest >= now().getTime()

  /** Leaves old steps to the sweeps: a write after the marks are removed would happen twice. @throws Error */
  const assertFresh = (step: Step): void => {
    if (!isFresh(step)) throw new Error(tooLate)
  }

  /** Makes the moves of the steps, then the effects of those moves. */
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
