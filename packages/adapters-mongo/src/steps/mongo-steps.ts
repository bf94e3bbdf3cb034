import type { Log } from '@posthorn/core'
import { retried } from '../connection/retried.js'
import type { LedgerCollections } from '../ledger/ledger-collections.js'
import type { StepMove, Steps } from '../ledger/step.js'
import { beginning } from './beginning.js'
import { carryingOut } from './carrying-out.js'
import { countedTries } from './counted-tries.js'
import { laterMoves } from './later-moves.js'
import { stepEnds } from './step-ends.js'
import { stepWrites, tooLate } from './step-writes.js'
import { sweeping } from './sweeping.js'
import { tidying } from './tidying.js'

type Deps = { readonly collections: LedgerCollections; readonly log: Log; readonly now?: () => Date }

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
  const later = (milliseconds: number) => new Date(now().getTime() + milliseconds)
  const ends = stepEnds({ collections, writes, later })
  const { advance, clear, setAside } = ends
  const { tidy, tidyLater, ...tidied } = tidying({ ends, log })
  const carrying = carryingOut({ writes, now })
  const { assertFresh, carryOut } = carrying
  const { sweep, takeOver } = sweeping({ collections, ends, carryOut, undo: writes.undo, log, now, later })
  const begun = beginning({ collections, sweep, later })
  const { isWaiting, carriedOut, runLater, ...moving } = laterMoves({ begun, carrying, ends, tidyLater, log })

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
