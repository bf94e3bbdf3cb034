import { collected } from '../../kernel/listing.js'
import type { Clock } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { ChannelRateLimiter } from '../channels/rate-limiter.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { DispatchCompleter } from './complete.js'

/** In ms. */
const progressInterval = 10_000

/**
 * Notes a dispatch's progress every 10 s while this worker has mails of it, and once more when it has none left: the dispatch may be finished.
 */
export const dispatchProgressRecorder = ({
  completion,
  openDispatches,
  clock,
}: {
  readonly completion: Pick<DispatchCompleter, 'noteProgress'>
  readonly openDispatches: () => Iterable<string>
  readonly clock: Clock
}) => {
  const notedAt = new Map<string, number>()

  return async (dispatchIds: ReadonlySet<string>): Promise<void> => {
    if (dispatchIds.size === 0) return
    const open = new Set(openDispatches())
    for (const dispatchId of dispatchIds) {
      const now = clock().getTime()
      if (open.has(dispatchId) && now - (notedAt.get(dispatchId) ?? 0) < progressInterval) continue
      if (open.has(dispatchId)) notedAt.set(dispatchId, now)
      else notedAt.delete(dispatchId)
      await completion.noteProgress(dispatchId)
    }
  }
}

/** Whether the channel keeps a dispatch from progressing. Stores the reason if it sends nothing. */
export const dispatchChannelWaitCheck =
  ({
    repositories: { dispatches },
    rateLimiter,
  }: {
    readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
    readonly rateLimiter: Pick<ChannelRateLimiter, 'shutBy' | 'isLimited'>
  }) =>
  async ({ _id, channel, waitsFor: noted }: Dispatch): Promise<boolean> => {
    const waitsFor = await rateLimiter.shutBy(channel)
    if (waitsFor !== noted)
      await dispatches.change({ _id }, ({ waitsFor: _before, ...one }) => ({ ...one, ...(waitsFor && { waitsFor }) }))
    return waitsFor !== undefined || rateLimiter.isLimited(channel)
  }
export type DispatchChannelWaitCheck = ReturnType<typeof dispatchChannelWaitCheck>

const stallTime = 30 * 60_000

/**
 * Finishes dispatches without open deliveries, and stops those without progress for 30 minutes unless worker or channel was not running, or all that is
 * left was put off. Looks twice: a suspended machine needs time to continue.
 */
export const dispatchWatchdog = ({
  repositories,
  deliveries,
  completion,
  waitsForChannel,
  clock,
  runningSince,
}: {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Pick<Deliveries, 'untried'>
  readonly clock: Clock
  readonly completion: Pick<DispatchCompleter, 'finishIfDone' | 'noteProgress' | 'stop'>
  readonly waitsForChannel: DispatchChannelWaitCheck
  /** Epoch ms; undefined while stopped or paused. */
  readonly runningSince: () => number | undefined
}) => {
  let stalled = new Map<string, string>()

  return async (): Promise<void> => {
    const before = stalled
    stalled = new Map()
    const dispatches = await collected(repositories.dispatches.each({ stage: ['expanding', 'sending', 'finishing'] }))
    for (const dispatch of dispatches) {
      const { _id, stage, progressAt } = dispatch
      await completion.finishIfDone(_id)
      const startedAt = runningSince()
      if (stage === 'finishing' || startedAt === undefined) continue
      const isShut = await waitsForChannel(dispatch)
      const isWaiting = isShut || (stage === 'sending' && !(await deliveries.untried(_id)))
      if (clock().getTime() - Math.max(Date.parse(progressAt), startedAt) <= stallTime) continue
      if (isWaiting) await completion.noteProgress(_id)
      else if (before.get(_id) === progressAt) await completion.stop(_id, 'No progress for 30 minutes.')
      else stalled.set(_id, progressAt)
    }
  }
}
