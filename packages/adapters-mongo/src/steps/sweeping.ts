import type { Log } from '@posthorn/core'
import { answered, retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import type { Step, Steps } from '../ledger/step.js'
import { type StoredStep, stepOf } from '../ledger/stored-step.js'
import type { CarryingOut } from './carrying-out.js'
import { patience } from './patience.js'
import type { StepEnds } from './step-ends.js'
import type { StepWrites } from './step-writes.js'

const sweepSize = 100

type Deps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly ends: Pick<StepEnds, 'advance' | 'clear' | 'setAside'>
  readonly carryOut: CarryingOut['carryOut']
  readonly undo: StepWrites['undo']
  readonly log: Log
  readonly now: () => Date
  /** The time that many milliseconds from now. */
  readonly later: (milliseconds: number) => Date
}

/** Completes the steps that other processes left, or undoes them if they were not decided yet. */
export const sweeping = ({ collections: { steps }, ends, carryOut, undo, log, now, later }: Deps) => {
  const { advance, clear, setAside } = ends

  const sweepOne = async (step: Step): Promise<void> => {
    if (step.state === 'done' || step.swept) return clear([step])
    if (await advance(step._id, 'undo')) await retried(() => undo(step._id, step.plan.takes ?? []))
    else if (await advance(step._id, 'takeOver')) await carryOut([step])
    await setAside(step)
  }

  /** Sweeps each step that no other sweep has taken since it was found. */
  const sweepAll = async (found: readonly StoredStep[]): Promise<void> => {
    for (const document of found) {
      const { _id, sweepAt } = document
      const postponed = { sweepAt: later(patience) }
      const mine = await answered(() => steps.updateOne({ _id, sweepAt }, { $set: postponed }))
      if (mine.matchedCount === 0) continue
      try {
        await sweepOne(stepOf({ ...document, ...postponed }))
      } catch (error) {
        log('error', 'What a process has left undone could not be finished and will be tried again', {
          step: _id,
          error,
        })
      }
    }
  }

  const sweep: Steps['sweep'] = async () => {
    const page = { sort: { sweepAt: 1 }, limit: sweepSize, batchSize: sweepSize } as const
    await sweepAll(await retried(() => steps.find({ sweepAt: { $lte: now() } }, page).toArray()))
  }

  /** Makes the moves that any process recorded by `runLater`, except for the steps in `mine`. */
  const takeOver = async (mine: ReadonlySet<string>): Promise<void> => {
    const where = { sweepAt: { $gt: new Date(0) }, isLater: true, state: 'decided' } as const
    const found = await retried(() => steps.find(where).toArray())
    await sweepAll(found.filter(({ _id }) => !mine.has(_id)))
  }

  return { sweep, takeOver }
}
