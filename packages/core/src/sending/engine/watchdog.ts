import { collected } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { DispatchEnds } from './dispatch-ends.js'
import type { HoldingBack } from './holding-back.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly ends: Pick<DispatchEnds, 'finishIfDone' | 'moved' | 'stop'>
  readonly isHeldBack: HoldingBack
  readonly clock: Clock
  /** Since when this worker has been at work, in epoch milliseconds; undefined while it is not. */
  readonly workingSince: () => number | undefined
}

/** A dispatch on which nothing has moved for so long has an error that nobody saw. */
const stallTime = 30 * 60_000

/**
 * Ends what has no open delivery left, and what has stood still for 30 minutes while this worker was at work and its channel was not
 * what held it back. A machine that slept meanwhile has its dispatches looked at twice: before the second time they could go on.
 */
export const watchdog = ({ repositories, ends, isHeldBack, clock, workingSince }: Deps) => {
  /** Dispatches that had stood still for too long when they were last looked at, and since when. */
  let standing = new Map<string, string>()

  return async (): Promise<void> => {
    const before = standing
    standing = new Map()
    const dispatches = await collected(repositories.dispatches.each({ stage: ['expanding', 'sending', 'finishing'] }))
    for (const dispatch of dispatches) {
      const { _id, stage, progressAt } = dispatch
      await ends.finishIfDone(_id)
      const startedAt = workingSince()
      if (stage === 'finishing' || startedAt === undefined) continue
      const isWaiting = await isHeldBack(dispatch)
      if (clock().getTime() - Math.max(Date.parse(progressAt), startedAt) <= stallTime) continue
      if (isWaiting) await ends.moved(_id)
      else if (before.get(_id) === progressAt) await ends.stop(_id, 'No progress for 30 minutes.')
      else standing.set(_id, progressAt)
    }
  }
}
