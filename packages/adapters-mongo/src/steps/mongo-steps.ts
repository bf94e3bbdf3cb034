import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@posthorn/core'
import { type Filter, ObjectId } from 'mongodb'
import { isDuplicate } from '../connection/insert-new.js'
import { answered, retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import { type Effects, type Move, type Plan, type Step, type StepMove, type Steps, stepMoves } from '../ledger/step.js'
import { type StoredStep, stepOf, storedStep } from '../ledger/stored-step.js'
import { stepWrites, tooLate } from './step-writes.js'

/** How long a step may take, in milliseconds, before a sweep thinks its process dead. It does no harm when that is wrong. */
const patience = 20_000
/** How long a step is kept when it has been swept, should its process have been frozen and not dead: longer than it goes on with it. */
const keeping = 15 * 60_000
/** How old a step may be for its own process to go on with it. */
const oldest = 5 * 60_000
const sweepSize = 100
/** How long the marks of steps that are done may stay, well within that time, so that those of many steps go together. */
const tidyTime = 10_000
/** How long moves that nobody waits for may wait for others, and how many are made at once. */
const carryTime = 2_000
const carrySize = 1_000
/** In how many parts a figure may be kept, so that processes that count at once change different documents. */
const figureParts = 16
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

/** A step whose moves are still to be made, and whether writing it had to be tried again. */
type Waiting = { readonly step: Step; readonly wereMany: () => boolean }

/** In epoch milliseconds; of one that a sweep has taken: when that was. */
const begunAt = ({ sweepAt }: Step): number => sweepAt.getTime() - patience

const movesOf = ({ plan: { moves = [] } }: Step): readonly Move[] => moves

const effectsOf = ({ plan: { brings } }: Step, made: readonly Move[]): readonly Effects[] =>
  [brings, ...made.map((move) => move.brings)].filter((some) => some !== undefined)

/**
 * A step is a document, written before all that it plans. Every write of it leaves the step's mark on what it changes, in the same
 * update, and passes over what has the mark: so anybody may do it again. The marks go when all is done, and then the step: at once
 * where others wait for it, else some seconds later together with those of other steps, as a step that is done may be done again.
 *
 * Moves that nobody waits for are made a little later, those of many steps together: the step itself is durable.
 *
 * What a process leaves behind, a sweep of any process does in the same way. It cannot know whether the other is dead or only slow,
 * and need not: the marks stay for a quarter of an hour, and the other's late writes meet them; it goes on with no step that is five minutes
 * old. So they do where a connection was cut: what was sent by it may still arrive.
 */
export const mongoSteps = ({ collections, log, now = () => new Date() }: Deps): Steps => {
  const { steps } = collections
  const writes = stepWrites(collections)
  const part = randomInt(figureParts)
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

  const tidy = (): Promise<void> => {
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
    const kept = { swept: true, sweepAt: later(keeping), lock: _id } as const
    const change = { $set: kept, $unset: { about: true, due: true } } as const
    await retried(() => steps.updateOne({ _id, state: { $in: ['undone', 'left'] } }, change))
  }

  const undo = ({ _id, plan: { takes = [] } }: Step, tries = retried): Promise<void> =>
    tries(() => writes.undo(_id, takes))

  /** A step that is too old is left to the sweeps: nobody may come so late that its marks are gone. @throws Error */
  const assertFresh = (step: Step): void => {
    if (begunAt(step) + oldest < now().getTime()) throw new Error(tooLate)
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

  const begun = async ({ lock, about, ...plan }: Plan, tries: typeof retried, isLater?: true): Promise<Step> => {
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

  let waiting: Waiting[] = []
  let carrying: Promise<void> = Promise.resolve()
  let carryTimer: NodeJS.Timeout | undefined
  let isEnded = false

  const isWaiting: Steps['isWaiting'] = (which) =>
    [...waiting, ...beingMade].some(({ step }) => movesOf(step).some(which))

  /** Its marks go when they may: later where something of it may still arrive. */
  const over = async (step: Step, wereMany: boolean): Promise<void> => {
    if (!wereMany) tidyLater(step)
    else if (await advance(step._id, 'takeOver')) await setAside(step)
  }

  let beingMade: readonly Waiting[] = []

  const carryWaiting = async (): Promise<void> => {
    clearTimeout(carryTimer)
    carryTimer = undefined
    const several = waiting.filter(({ step }) => begunAt(step) + oldest > now().getTime())
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

  const run: Steps['run'] = async (plan, unless) => {
    if (plan.takes && isWaiting(({ brings }) => (brings?.gives ?? []).length > 0)) await carriedOut()
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
    const nothing = { made: [], areNew: false }
    if (await unless?.()) {
      await refuse()
      return nothing
    }
    if (plan.takes) {
      const { takes } = plan
      const refused = await tries(() => writes.take(step._id, takes))
      if (refused) {
        await refuse()
        return { refused, ...nothing }
      }
      assertFresh(step)
      if (!(await advance(step._id, 'decide', tries))) throw new Error(tooLate)
    }
    assertFresh(step)
    const done = await carryOut([step], tries)
    await finish('takeOver')
    return { made: done.made, areNew: done.areNew && !wereMany() }
  }

  const sweepOne = async (step: Step): Promise<void> => {
    if (step.state === 'done' || step.swept) return clear([step])
    if (await advance(step._id, 'undo')) await undo(step)
    else if (await advance(step._id, 'takeOver')) await carryOut([step])
    await setAside(step)
  }

  /** Each that no other sweep has taken since it was found. */
  const sweepAll = async (found: readonly StoredStep[]): Promise<void> => {
    for (const document of found) {
      const { _id, sweepAt, due } = document
      const asFound = { _id, ...(sweepAt ? { sweepAt } : { due }) } as Filter<StoredStep>
      const change = { $set: { sweepAt: later(patience) }, $unset: { due: true } } as const
      const mine = await answered(() => steps.updateOne(asFound, change))
      if (mine.matchedCount === 0) continue
      try {
        await sweepOne(stepOf({ ...document, ...change.$set }))
      } catch (error) {
        log('error', 'What a process has left undone could not be finished and will be tried again', {
          step: _id,
          error,
        })
      }
    }
  }

  const dueBy = (field: 'sweepAt' | 'due') =>
    retried(() =>
      steps
        .find({ [field]: { $lte: now() } }, { sort: { [field]: 1 }, limit: sweepSize, batchSize: sweepSize })
        .toArray(),
    )
  let isFirstSweep = true

  /** What versions before have left is looked for at the start. */
  const sweep: Steps['sweep'] = async () => {
    if (isFirstSweep) await sweepAll(await dueBy('due'))
    isFirstSweep = false
    await sweepAll(await dueBy('sweepAt'))
  }

  const takeOver: Steps['takeOver'] = async () => {
    await carriedOut()
    const mine = new Set(done.map(({ _id }) => _id))
    const where = { sweepAt: { $gt: new Date(0) }, isLater: true, state: 'decided' } as const
    const found = await retried(() => steps.find(where).toArray())
    await sweepAll(found.filter(({ _id }) => !mine.has(_id)))
  }

  const end: Steps['end'] = () => {
    isEnded = true
    clearTimeout(timer)
    clearTimeout(carryTimer)
  }

  return {
    run,
    runLater,
    isWaiting,
    carriedOut,
    sweep,
    takeOver,
    tidy: async () => {
      await carriedOut()
      await tidy()
    },
    end,
    underWay: async (about) => (await retried(() => steps.findOne({ about }))) !== null,
  }
}
