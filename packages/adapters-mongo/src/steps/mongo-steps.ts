import type { Log } from '@posthorn/core'
import { retried } from '../connection/retries.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import type { StepMove, Steps } from '../ledger/step.js'
import { laterMoves } from './later-moves.js'
import { markRemoval, stepEnds, stepSweeps } from './step-ends.js'
import { retryCounter, stepExecution, stepStarts } from './step-execution.js'
import { stepWrites, tooLate } from './step-writes.js'

type Deps = { readonly collections: LedgerCollections; readonly log: Log; readonly now?: () => Date }

/**
 * A step is a document that is stored before any of its writes. Each write adds the step's id as a mark to the document that it changes,
 * in the same update, and skips documents that have the mark, so any process may repeat it. Once all writes are made, the marks are
 * removed, and then the step: at once if the step has a lock or a dispatch, otherwise some seconds later with those of other steps.
 *
 * Moves of `runLater` are made a little later, many steps together; the stored step makes them durable.
 *
 * A sweep of any process completes the steps that another process left. It need not know whether that process is dead or slow: the marks
 * stay for 15 minutes and stop late writes, and no process continues a step of its own that is older than 5 minutes. Marks also stay
 * after a connection broke, because a write sent through it may still reach the server.
 */
export const mongoSteps = ({ collections, log, now = () => new Date() }: Deps): Steps => {
  const { steps } = collections
  const writes = stepWrites(collections)
  const later = (milliseconds: number) => new Date(now().getTime() + milliseconds)
  const ends = stepEnds({ collections, writes, later })
  const { advance, clear, setAside } = ends
  const { tidy, tidyLater, ...tidied } = markRemoval({ ends, log })
  const carrying = stepExecution({ writes, now })
  const { assertFresh, carryOut } = carrying
  const { sweep, takeOver } = stepSweeps({ collections, ends, carryOut, undo: writes.undo, log, now, later })
  const begun = stepStarts({ collections, sweep, later })
  const { isWaiting, carriedOut, runLater, ...moving } = laterMoves({ begun, carrying, ends, tidyLater, log })

  const run: Steps['run'] = async (plan, unless) => {
    if (plan.takes && isWaiting(({ brings }) => (brings?.gives ?? []).length > 0)) await carriedOut()
    const { tries, wereMany } = retryCounter()
    const step = await begun(plan, tries)
    const finish = async (inDoubt: StepMove) => {
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
      if (!(await advance(step._id, 'decide', tries))) throw new Error(tooLate)
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
