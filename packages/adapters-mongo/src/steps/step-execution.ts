import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ObjectId } from 'mongodb'
import { isDuplicate } from '../connection/duplicate-keys.js'
import { retried } from '../connection/retries.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import type { LedgerDocumentChange, LedgerStep, LedgerSteps, StepEffects, StepPlan } from '../ledger/step.js'
import { storedStep } from '../ledger/stored-step.js'
import { type StepWrites, undoneStepMessage } from './step-writes.js'

/** In ms. Then a sweep takes over; harmless if the process lives. */
export const stepPatience = 20_000

/** In epoch ms; after a takeover, the time of that. */
export const stepBegunAt = ({ sweepAt }: LedgerStep): number => sweepAt.getTime() - stepPatience

/** Notes retries: an earlier try may still reach the server. */
export const retryTracker = () => {
  let isMany = false
  const tries: typeof retried = (work) => {
    let isFirst = true
    return retried(() => {
      isMany ||= !isFirst
      isFirst = false
      return work()
    })
  }
  return { tries, wereMany: () => isMany }
}

/** In ms: age at which a process abandons its step. */
const oldest = 5 * 60_000

export const movesOfStep = ({ plan: { moves = [] } }: LedgerStep): readonly LedgerDocumentChange[] => moves

const effectsOf = ({ plan: { brings } }: LedgerStep, made: readonly LedgerDocumentChange[]): readonly StepEffects[] =>
  [brings, ...made.map((move) => move.brings)].filter((some) => some !== undefined)

type CarryDeps = { readonly writes: Pick<StepWrites, 'move' | 'bring'>; readonly now: () => Date }

export const stepExecution = ({ writes, now }: CarryDeps) => {
  const isFresh = (step: LedgerStep): boolean => stepBegunAt(step) + oldest >= now().getTime()

  /** Once the marks are removed, a write would happen twice. @throws Error */
  const assertFresh = (step: LedgerStep): void => {
    if (!isFresh(step)) throw new Error(undoneStepMessage)
  }

  const carryOut = async (several: readonly LedgerStep[], tries = retried) => {
    const moves = several.map((step) => ({ step: step._id, moves: movesOfStep(step) }))
    const made = await tries(() => writes.move(moves))
    for (const step of several) assertFresh(step)
    const effects = several.map((step, n) => ({ step, effects: effectsOf(step, made[n] ?? []) }))
    const areNew = await tries(() => writes.bring(effects))
    return { made: made.flat(), areNew }
  }

  return { isFresh, assertFresh, carryOut }
}
export type StepExecution = ReturnType<typeof stepExecution>

/** Parts of a figure, so that processes count in different documents. */
const figureParts = 16
/** In ms: longer than a sweep needs to free a dead process's lock. */
const lockPatience = 45_000
const lockPauses = { first: 25, longest: 500 }

type BeginDeps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly sweep: LedgerSteps['sweep']
  readonly later: (milliseconds: number) => Date
}

export const ledgerStepStarter = ({ collections: { steps }, sweep, later }: BeginDeps) => {
  const part = randomInt(figureParts)

  const begin = (step: LedgerStep, tries: typeof retried): Promise<boolean> =>
    tries(async () => {
      try {
        await steps.insertOne(storedStep(step))
        return true
      } catch (error) {
        if (!isDuplicate(error)) throw error
        return (await steps.findOne({ _id: step._id })) !== null
      }
    })

  /** Waits for the lock. @throws Error after `lockPatience` */
  return async ({ lock, about, ...plan }: StepPlan, tries: typeof retried, isLater?: true): Promise<LedgerStep> => {
    const until = performance.now() + lockPatience
    for (let wait = lockPauses.first; ; wait = Math.min(lockPauses.longest, wait * 2)) {
      const _id = new ObjectId().toHexString()
      const step: LedgerStep = {
        _id,
        state: plan.takes ? 'taking' : 'decided',
        sweepAt: later(stepPatience),
        lock: lock ?? _id,
        ...(about !== undefined && { about }),
        part,
        ...(isLater && { isLater }),
        plan,
      }
      if (await begin(step, tries)) return step
      if (performance.now() > until) throw new Error(`Another process has not ended its work on ${lock}`)
      await pause(wait * (1 + Math.random()))
      if (wait === lockPauses.longest) await sweep()
    }
  }
}
export type LedgerStepStarter = ReturnType<typeof ledgerStepStarter>
