import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ObjectId } from 'mongodb'
import { isDuplicate } from '../connection/insert-new.js'
import type { retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import type { Plan, Step, Steps } from '../ledger/step.js'
import { storedStep } from '../ledger/stored-step.js'
import { patience } from './patience.js'

/** In how many parts a figure may be kept, so that processes that count at once change different documents. */
const figureParts = 16
/** How long is waited for a lock, longer than for what died with it; and how long before it is tried again. */
const lockPatience = 45_000
const lockPauses = { first: 25, longest: 500 }

type Deps = {
  readonly collections: Pick<LedgerCollections, 'steps'>
  readonly sweep: Steps['sweep']
  /** So many milliseconds from now. */
  readonly later: (milliseconds: number) => Date
}

/** Steps that are written down, before anything of them is done. */
export const beginning = ({ collections: { steps }, sweep, later }: Deps) => {
  const part = randomInt(figureParts)

  /** Writes the step, unless another has its lock. */
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

  /** The step of a plan, once nobody else has its lock. @throws Error when that takes too long */
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
