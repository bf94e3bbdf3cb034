import type { Log } from '@posthorn/core'
import { retried, withTimeLimit } from '../connection/retries.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import { type LedgerStep, type LedgerSteps, type StepStateMove, stepStateMoves } from '../ledger/step.js'
import { ledgerStepOf, type StoredStep } from '../ledger/stored-step.js'
import { type StepExecution, stepPatience } from './step-execution.js'
import type { StepWrites } from './step-writes.js'

/** In ms; a frozen process continues its steps for at most 5 minutes. */
const keeping = 15 * 60_000

type EndDeps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly writes: Pick<StepWrites, 'wipe'>
  readonly later: (milliseconds: number) => Date
}

export const stepCompletion = ({ collections: { steps }, writes, later }: EndDeps) => {
  const advance = (_id: string, move: StepStateMove, tries = retried): Promise<boolean> =>
    tries(async () => {
      const { from, to } = stepStateMoves[move]
      const { matchedCount } = await steps.updateOne({ _id, state: { $in: [...from] } }, { $set: { state: to } })
      return matchedCount > 0 || (await steps.findOne({ _id, state: to })) !== null
    })

  const clear = async (several: readonly LedgerStep[]): Promise<void> => {
    await retried(() => writes.wipe(several))
    await retried(() => steps.deleteMany({ _id: { $in: several.map(({ _id }) => _id) } }))
  }

  /** Returns the steps that no sweep has taken over. */
  const finished = async (several: readonly LedgerStep[]): Promise<readonly LedgerStep[]> => {
    const _id = { $in: several.map((step) => step._id) }
    const { from, to } = stepStateMoves.finish
    return retried(async () => {
      const { matchedCount } = await steps.updateMany({ _id, state: { $in: [...from] } }, { $set: { state: to } })
      if (matchedCount === several.length) return several
      const found = await steps.find({ _id, state: to }, { projection: { _id: 1 } }).toArray()
      const ids = new Set(found.map((step) => step._id))
      return several.filter((step) => ids.has(step._id))
    })
  }

  /** Keeps marks until no late write can arrive. */
  const setAside = async ({ _id }: LedgerStep): Promise<void> => {
    const kept = { swept: true, sweepAt: later(keeping), lock: _id } as const
    const change = { $set: kept, $unset: { about: true } } as const
    await retried(() => steps.updateOne({ _id, state: { $in: ['undone', 'left'] } }, change))
  }

  return { advance, clear, finished, setAside }
}
export type StepCompletion = ReturnType<typeof stepCompletion>

/** In ms: batches the removal of marks. */
const tidyTime = 10_000

type TidyDeps = { readonly ends: Pick<StepCompletion, 'clear' | 'finished'>; readonly log: Log }

export const finishedStepCleaner = ({ ends: { clear, finished }, log }: TidyDeps) => {
  let done: LedgerStep[] = []
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()

  const tidyAll = async (): Promise<void> => {
    if (done.length === 0) return
    const several = done
    done = []
    try {
      const mine = await finished(several)
      if (mine.length > 0) await clear(mine)
    } catch (error) {
      done = [...several, ...done]
      throw error
    }
  }

  const tidy = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    last = last.catch(() => undefined).then(tidyAll)
    return last
  }

  const tidyLater = (step: LedgerStep): void => {
    done.push(step)
    timer ??= setTimeout(() => {
      tidy().catch((error: unknown) =>
        log('warn', 'The marks of finished steps could not be removed. This will be retried', { error }),
      )
    }, tidyTime).unref()
  }

  return {
    tidy,
    tidyLater,
    done: (): readonly LedgerStep[] => done,
    end: () => clearTimeout(timer),
  }
}
export type FinishedStepCleaner = ReturnType<typeof finishedStepCleaner>

const sweepSize = 100

type SweepDeps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly ends: Pick<StepCompletion, 'advance' | 'clear' | 'setAside'>
  readonly carryOut: StepExecution['carryOut']
  readonly undo: StepWrites['undo']
  readonly log: Log
  readonly now: () => Date
  readonly later: (milliseconds: number) => Date
}

/** Completes or undoes steps that other processes left. */
export const stepSweeps = ({ collections: { steps }, ends, carryOut, undo, log, now, later }: SweepDeps) => {
  const { advance, clear, setAside } = ends

  const sweepOne = async (step: LedgerStep): Promise<void> => {
    if (step.state === 'done' || step.swept) return clear([step])
    if (await advance(step._id, 'undo')) await retried(() => undo(step._id, step.plan.takes ?? []))
    else if (await advance(step._id, 'takeOver')) await carryOut([step])
    await setAside(step)
  }

  const sweepAll = async (found: readonly StoredStep[]): Promise<void> => {
    for (const document of found) {
      const { _id, sweepAt } = document
      const postponed = { sweepAt: later(stepPatience) }
      const mine = await withTimeLimit(() => steps.updateOne({ _id, sweepAt }, { $set: postponed }))
      if (mine.matchedCount === 0) continue
      try {
        await sweepOne(ledgerStepOf({ ...document, ...postponed }))
      } catch (error) {
        log('error', 'A step that another process left could not be completed. It will be retried', {
          step: _id,
          error,
        })
      }
    }
  }

  const sweep: LedgerSteps['sweep'] = async () => {
    const page = { sort: { sweepAt: 1 }, limit: sweepSize, batchSize: sweepSize } as const
    await sweepAll(await retried(() => steps.find({ sweepAt: { $lte: now() } }, page).toArray()))
  }

  /** All moves of `runLater`, except for the steps in `mine`. */
  const takeOver = async (mine: ReadonlySet<string>): Promise<void> => {
    const where = { sweepAt: { $gt: new Date(0) }, isLater: true, state: 'decided' } as const
    const found = await retried(() => steps.find(where).toArray())
    await sweepAll(found.filter(({ _id }) => !mine.has(_id)))
  }

  return { sweep, takeOver }
}
