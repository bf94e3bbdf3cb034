import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ObjectId } from 'mongodb'
import { isDuplicate } from '../connection/insert-new.js'
import type { retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import type { Plan, Step, Steps } from '../ledger/step.js'
import { storedStep } from '../ledger/stored-step.js'
import { patience } from './patience.js'

/** Documents that a figure is split into, so that processes that count at once change different ones. */
const figureParts = 16
/** In ms. A step waits up to 45 s for its lock, longer than a sweep needs to free the lock of a dead process; the pauses between tries. */
const lockPatience = 45_000
const lockPauses = { first: 25, longest: 500 }

type Deps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly sweep: Steps['sweep']
  /** The time that many milliseconds from now. */
  readonly later: (milliseconds: number) => Date
}

/** Stores steps before any of their writes. */
export const beginning = ({ collections: { steps }, sweep, later }: Deps) => {
  const part = randomInt(figureParts)

  /** Stores the step; returns false if another step has its lock. */
  const begin = (step: Step, tries: typeof retried): Promise<boolean> =>
    tries(async () => {
      try {
        await steps.insertOne(storedStep(step))
        return true
      } catch (error) {
        if (!isDuplicate(error)) throw error
        return (await steps.findOne({ _id: step._id })) !== null
      }
    })

  /** Stores the step of a plan once its lock is free. @throws Error after `lockPatience` */
  return async ({ lock, about, ...plan }: Plan, tries: typeof retried, isLater?: true): Promise<Step> => {
    const until = performance.now() + lockPatience
    for (let wait = lockPauses.first; ; wait = Math.min(lockPauses.longest, wait * 2)) {
      const _id = new ObjectId().toHexString()
      const step: Step = {
        _id,
        state: plan.takes ? 'taking' : 'decided',
        sweepAt: later(patience),
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
export type Begun = ReturnType<typeof beginning>
