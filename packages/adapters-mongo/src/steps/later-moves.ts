import type { Log } from '@posthorn/core'
import type { LedgerStep, LedgerSteps } from '../ledger/step.js'
import type { FinishedStepCleaner, StepCompletion } from './step-ends.js'
import { type LedgerStepStarter, movesOfStep, retryTracker, type StepExecution } from './step-execution.js'

/** Moves are made after 2 s (in ms), or once 1,000 wait. */
const carryTime = 2_000
const carrySize = 1_000

/** `wereMany`: storing the step took several tries. */
type Waiting = { readonly step: LedgerStep; readonly wereMany: () => boolean }

type Deps = {
  readonly begun: LedgerStepStarter
  readonly carrying: Pick<StepExecution, 'isFresh' | 'carryOut'>
  readonly ends: Pick<StepCompletion, 'advance' | 'setAside'>
  readonly tidyLater: FinishedStepCleaner['tidyLater']
  readonly log: Log
}

/** Moves whose callers do not wait: many steps are carried out together. */
export const unawaitedMoves = ({ begun, carrying: { isFresh, carryOut }, ends, tidyLater, log }: Deps) => {
  let waiting: Waiting[] = []
  let carrying: Promise<void> = Promise.resolve()
  let carryTimer: NodeJS.Timeout | undefined
  let isEnded = false

  const isWaiting: LedgerSteps['isWaiting'] = (which) =>
    [...waiting, ...beingMade].some(({ step }) => movesOfStep(step).some(which))

  /** Keeps the marks for a while if a write may still reach the server. */
  const over = async (step: LedgerStep, wereMany: boolean): Promise<void> => {
    if (!wereMany) tidyLater(step)
    else if (await ends.advance(step._id, 'takeOver')) await ends.setAside(step)
  }

  let beingMade: readonly Waiting[] = []

  const carryWaiting = async (): Promise<void> => {
    clearTimeout(carryTimer)
    carryTimer = undefined
    const several = waiting.filter(({ step }) => isFresh(step))
    waiting = []
    if (several.length === 0) return
    beingMade = several
    const { tries, wereMany } = retryTracker()
    try {
      await carryOut(
        several.map(({ step }) => step),
        tries,
      )
    } catch (error) {
      waiting = [...several, ...waiting]
      carryLater()
      throw error
    } finally {
      beingMade = []
    }
    for (const one of several) await over(one.step, wereMany() || one.wereMany())
  }

  const carriedOut: LedgerSteps['carriedOut'] = () => {
    if (waiting.length === 0 && beingMade.length === 0) return Promise.resolve()
    carrying = carrying.catch(() => undefined).then(carryWaiting)
    return carrying
  }

  const carryLater = (): void => {
    if (isEnded) return
    carryTimer ??= setTimeout(() => {
      carriedOut().catch((error: unknown) =>
        log('warn', 'Recorded outcomes could not be applied to the deliveries. This will be retried', { error }),
      )
    }, carryTime).unref()
  }

  const runLater: LedgerSteps['runLater'] = async (moves) => {
    const { tries, wereMany } = retryTracker()
    const step = await begun({ moves }, tries, true)
    waiting.push({ step, wereMany })
    carryLater()
    const count = waiting.reduce((sum, one) => sum + movesOfStep(one.step).length, 0)
    if (count < carrySize) return
    const made = carriedOut()
    // At twice the size the caller waits, to limit the backlog.
    if (count >= 2 * carrySize) await made
    else made.catch(() => undefined)
  }

  const end = (): void => {
    isEnded = true
    clearTimeout(carryTimer)
  }

  return { isWaiting, carriedOut, runLater, end }
}
