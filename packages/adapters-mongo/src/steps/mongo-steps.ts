import type { Log } from '@posthorn/core'
import { retried } from '../connection/retries.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import type { LedgerSteps, StepStateMove } from '../ledger/step.js'
import { unawaitedMoves } from './later-moves.js'
import { finishedStepCleaner, stepCompletion, stepSweeps } from './step-ends.js'
import { ledgerStepStarter, retryTracker, stepExecution } from './step-execution.js'
import { stepWrites, undoneStepMessage } from './step-writes.js'

type Deps = { readonly collections: LedgerCollections; readonly log: Log; readonly now?: () => Date }

/**
 * A step is stored before its writes; each marks its document with the step's id and skips marked ones, so any process may repeat it. Marks
 * stay for 15 minutes after a takeover or a broken connection, to stop late writes; no process continues a step older than 5 minutes (ADR
 * 0008).
 */
export const mongoSteps = ({ collections, log, now = () => new Date() }: Deps): LedgerSteps => {
  const { steps } = collections
  const writes = stepWrites(collections)
  const later = (milliseconds: number) => new Date(now().getTime() + milliseconds)
  const ends = stepCompletion({ collections, writes, later })
  const { advance, clear, setAside } = ends
  const { tidy, tidyLater, ...tidied } = finishedStepCleaner({ ends, log })
  const carrying = stepExecution({ writes, now })
  const { assertFresh, carryOut } = carrying
  const { sweep, takeOver } = stepSweeps({ collections, ends, carryOut, undo: writes.undo, log, now, later })
  const begun = ledgerStepStarter({ collections, sweep, later })
  const { isWaiting, carriedOut, runLater, ...moving } = unawaitedMoves({ begun, carrying, ends, tidyLater, log })

  const run: LedgerSteps['run'] = async (plan, unless) => {
    if (plan.takes && isWaiting(({ brings }) => (brings?.gives ?? []).length > 0)) await carriedOut()
    const { tries, wereMany } = retryTracker()
    const step = await begun(plan, tries)
    const finish = async (inDoubt: StepStateMove) => {
      if (wereMany()) {
        if (await advance(step._id, inDoubt)) await setAside(step)
      } else if (plan.lock === undefined && plan.about === undefined) tidyLater(step)
      else if (await advance(step._id, 'finish')) await clear([step])
    }
    const refuse = async () => {
      if (await advance(step._id, 'refuse', tries)) await tries(() => writes.undo(step._id, plan.takes ?? []))
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
      if (!(await advance(step._id, 'decide', tries))) throw new Error(undoneStepMessage)
    }
    assertFresh(step)
    const done = await carryOut([step], tries)
    await finish('takeOver')
    return { made: done.made, areNew: done.areNew && !wereMany() }
  }

  return {
    run,
    runLater,
    isWaiting,
    carriedOut,
    sweep,
    takeOver: async () => {
      await carriedOut()
      await takeOver(new Set(tidied.done().map(({ _id }) => _id)))
    },
    tidy: async () => {
      await carriedOut()
      await tidy()
    },
    end: () => {
      tidied.end()
      moving.end()
    },
    underWay: async (about) => (await retried(() => steps.findOne({ about }))) !== null,
  }
}
