import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import { ObjectId } from 'mongodb'
import { isDuplicate } from '../connection/insert-new.js'
import { answered, retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import { type Move, type Plan, type Step, type StepMove, type Steps, stepMoves } from '../ledger/step.js'
import { stepWrites, tooLate } from './step-writes.js'

/** How long a step may take, in milliseconds, before a sweep thinks its process dead. It does no harm when that is wrong. */
const patience = 20_000
/** How long a step is kept when it has been swept, should its process have been frozen and not dead. */
const keeping = 24 * 3_600_000
const sweepSize = 100
/** How long the marks of steps that are done may stay, well within that time, so that those of many steps go together. */
const tidyTime = 5_000
/** How long is waited for a lock, longer than for what died with it; and how long before it is tried again. */
const lockPatience = 45_000
const lockPauses = { first: 25, longest: 500 }

/** Tries as `retried` does, and knows afterwards whether anything had to be tried again: the first try may still arrive. */
const countedTries = () => {
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

type Deps = { readonly collections: LedgerCollections; readonly log: Log; readonly now?: () => Date }

/**
 * A step is a document, written before all that it plans. Every write of it leaves the step's mark on what it changes, in the same
 * update, and passes over what has the mark: so anybody may do it again. The marks go when all is done, and then the step: at once
 * where others wait for it, else some seconds later together with those of other steps, as a step that is done may be done again.
 *
 * What a process leaves behind, a sweep of any process does in the same way. It cannot know whether the other is dead or only slow,
 * and need not: the marks stay for a day, and the other's late writes meet them. So they do where a connection was cut: what was sent
 * by it may still arrive.
 */
export const mongoSteps = ({ collections, log, now = () => new Date() }: Deps): Steps => {
  const { steps } = collections
  const writes = stepWrites(collections)
  const later = (milliseconds: number) => new Date(now().getTime() + milliseconds)

  /** Whether the step is now where the move leads, by this try or an earlier one. */
  const advance = (_id: string, move: StepMove, tries = retried): Promise<boolean> =>
    tries(async () => {
      const { from, to } = stepMoves[move]
      const { matchedCount } = await steps.updateOne({ _id, state: { $in: [...from] } }, { $set: { state: to } })
      return matchedCount > 0 || (await steps.findOne({ _id, state: to })) !== null
    })

  const clear = async (several: readonly Step[]): Promise<void> => {
    await retried(() => writes.wipe(several))
    await retried(() => steps.deleteMany({ _id: { $in: several.map(({ _id }) => _id) } }))
  }

  /** Of these, which are all carried out: those that are to be finished, and that no sweep has taken over. */
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

  let done: Step[] = []
  let timer: NodeJS.Timeout | undefined
  let tidying: Promise<void> = Promise.resolve()

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

  const tidy: Steps['tidy'] = () => {
    clearTimeout(timer)
    timer = undefined
    tidying = tidying.catch(() => undefined).then(tidyAll)
    return tidying
  }

  /** Its marks go with those of others. */
  const tidyLater = (step: Step): void => {
    done.push(step)
    timer ??= setTimeout(() => {
      tidy().catch((error: unknown) => log('warn', 'The marks of steps could not be removed yet', { error }))
    }, tidyTime).unref()
  }

  /** Keeps the step, and its marks, until nothing that is still on its way can arrive any more. */
  const setAside = async ({ _id }: Step): Promise<void> => {
    const kept = { swept: true, due: later(keeping), lock: _id } as const
    const change = { $set: kept, $unset: { about: true } } as const
    await retried(() => steps.updateOne({ _id, state: { $in: ['undone', 'left'] } }, change))
  }

  const undo = ({ _id, plan: { takes = [] } }: Step, tries = retried): Promise<void> =>
    tries(() => writes.undo(_id, takes))

  const carryOut = async ({ _id, plan: { moves = [], brings } }: Step, tries = retried): Promise<readonly Move[]> => {
    const made = await tries(() => writes.move(_id, moves))
    const effects = [brings, ...made.map((move) => move.brings)].filter((some) => some !== undefined)
    await tries(() => writes.bring(_id, effects))
    return made
  }

  /** Writes the step, unless another has its lock. */
  const begin = (step: Step, tries: typeof retried): Promise<boolean> =>
    tries(async () => {
      try {
        await steps.insertOne(step)
        return true
      } catch (error) {
        if (!isDuplicate(error)) throw error
        return (await steps.findOne({ _id: step._id })) !== null
      }
    })

  const begun = async ({ lock, about, ...plan }: Plan, tries: typeof retried): Promise<Step> => {
    const until = performance.now() + lockPatience
    for (let wait = lockPauses.first; ; wait = Math.min(lockPauses.longest, wait * 2)) {
      const _id = new ObjectId().toHexString()
      const step: Step = {
        _id,
        state: plan.takes ? 'taking' : 'decided',
        due: later(patience),
        lock: lock ?? _id,
        ...(about !== undefined && { about }),
        plan,
      }
      if (await begin(step, tries)) return step
      if (performance.now() > until) throw new Error(`Another process has not ended its work on ${lock}`)
      await pause(wait * (1 + Math.random()))
      if (wait === lockPauses.longest) await sweep()
    }
  }

  const run: Steps['run'] = async (plan, unless) => {
    const { tries, wereMany } = countedTries()
    const step = await begun(plan, tries)
    const finish = async (inDoubt: StepMove) => {
      if (wereMany()) {
        if (await advance(step._id, inDoubt)) await setAside(step)
      } else if (plan.lock === undefined && plan.about === undefined) tidyLater(step)
      else if (await advance(step._id, 'finish')) await clear([step])
    }
    const refuse = async () => {
      if (await advance(step._id, 'refuse', tries)) await undo(step, tries)
      await finish('undo')
    }
    if (await unless?.()) {
      await refuse()
      return { made: [] }
    }
    if (plan.takes) {
      const { takes } = plan
      const refused = await tries(() => writes.take(step._id, takes))
      if (refused) {
        await refuse()
        return { refused, made: [] }
      }
      if (!(await advance(step._id, 'decide', tries))) throw new Error(tooLate)
    }
    const made = await carryOut(step, tries)
    await finish('takeOver')
    return { made }
  }

  const sweepOne = async (step: Step): Promise<void> => {
    if (step.state === 'done' || step.swept) return clear([step])
    if (await advance(step._id, 'undo')) await undo(step)
    else if (await advance(step._id, 'takeOver')) await carryOut(step)
    await setAside(step)
  }

  const sweep: Steps['sweep'] = async () => {
    const left = await retried(() =>
      steps
        .find({ due: { $lte: now() } })
        .sort({ due: 1 })
        .limit(sweepSize)
        .toArray(),
    )
    for (const step of left) {
      const $set = { due: later(patience) }
      const mine = await answered(() => steps.updateOne({ _id: step._id, due: step.due }, { $set }))
      if (mine.matchedCount === 0) continue
      await sweepOne(step).catch((error: unknown) =>
        log('error', 'What a process has left undone could not be finished and will be tried again', {
          step: step._id,
          error,
        }),
      )
    }
  }

  return { run, sweep, tidy, underWay: async (about) => (await retried(() => steps.findOne({ about }))) !== null }
}
