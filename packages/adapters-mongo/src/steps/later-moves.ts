import type { Log } from '@posthorn/core'
import type { Step, Steps } from '../ledger/step.js'
import type { Begun } from './beginning.js'
import { type CarryingOut, movesOf } from './carrying-out.js'
import { countedTries } from './counted-tries.js'
import type { StepEnds } from './step-ends.js'
import type { Tidying } from './tidying.js'

/** How long moves that nobody waits for may wait for others, and how many are made at once. */
const carryTime = 2_000
const carrySize = 1_000

/** A step whose moves are still to be made, and whether writing it had to be tried again. */
type Waiting = { readonly step: Step; readonly wereMany: () => boolean }

type Deps = {
  readonly begun: Begun
  readonly carrying: Pick<CarryingOut, 'isFresh' | 'carryOut'>
  readonly ends: Pick<StepEnds, 'advance' | 'setAside'>
  readonly tidyLater: Tidying['tidyLater']
  readonly log: Log
}

/** Moves that nobody waits for: their steps are durable, and many are carried out together a little later. */
export const laterMoves = ({ begun, carrying: { isFresh, carryOut }, ends, tidyLater, log }: Deps) => {
  let waiting: Waiting[] = []
  let carrying: Promise<void> = Promise.resolve()
  let carryTimer: NodeJS.Timeout | undefined
  let isEnded = false

  const isWaiting: Steps['isWaiting'] = (which) =>
    [...waiting, ...beingMade].some(({ step }) => movesOf(step).some(which))

  /** Its marks go when they may: later where something of it may still arrive. */
  const over = async (step: Step, wereMany: boolean): Promise<void> => {
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
    const { tries, wereMany } = countedTries()
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

  const carriedOut: Steps['carriedOut'] = () => {
    if (waiting.length === 0 && beingMade.length === 0) return Promise.resolve()
    carrying = carrying.catch(() => undefined).then(carryWaiting)
    return carrying
  }

  const carryLater = (): void => {
    if (isEnded) return
    carryTimer ??= setTimeout(() => {
      carriedOut().catch((error: unknown) => log('warn', 'What was recorded could not be carried out yet', { error }))
    }, carryTime).unref()
  }

  const runLater: Steps['runLater'] = async (moves) => {
    const { tries, wereMany } = countedTries()
    const step = await begun({ moves }, tries, true)
    waiting.push({ step, wereMany })
    carryLater()
    const count = waiting.reduce((sum, one) => sum + movesOf(one.step).length, 0)
    if (count < carrySize) return
    const made = carriedOut()
    // It is kept in any case, and tried again; only who comes with more has to wait.
    if (count >= 2 * carrySize) await made
    else made.catch(() => undefined)
  }

  const end = (): void => {
    isEnded = true
    clearTimeout(carryTimer)
  }

  return { isWaiting, carriedOut, runLater, end }
}
