import { collected } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { DispatchEnds } from './dispatch-ends.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly ends: Pick<DispatchEnds, 'finishIfDone' | 'stop'>
  readonly clock: Clock
  /** Since when this worker has been at work, in epoch milliseconds; undefined while it is not. */
  readonly workingSince: () => number | undefined
}

/** A dispatch on which nothing has moved for so long has an error that nobody saw. */
const stallTime = 30 * 60_000

/**
 * Ends what has no open delivery left, and what has stood still for 30 minutes while this worker was at work. A machine that slept
 * meanwhile has its dispatches looked at twice: before the second time they could go on.
 */
export const watchdog = ({ repositories, ends, clock, workingSince }: Deps) => {
  /** Dispatches that had stood still for too long when they were last looked at, and since when. */
  let standing = new Map<string, string>()

  return async (): Promise<void> => {
    const before = standing
    standing = new Map()
    const dispatches = await collected(repositories.dispatches.each({ stage: ['expanding', 'sending', 'finishing'] }))
    for (const { _id, stage, progressAt } of dispatches) {
      await ends.finishIfDone(_id)
      const startedAt = workingSince()
      if (stage === 'finishing' || startedAt === undefined) continue
      if (clock().getTime() - Math.max(Date.parse(progressAt), startedAt) <= stallTime) continue
      if (before.get(_id) === progressAt) await ends.stop(_id, 'No progress for 30 minutes.')
      else standing.set(_id, progressAt)
    }
  }
}
