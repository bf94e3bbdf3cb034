import { creditKey } from '../../accounts/account.js'
import type { Clock, Files } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { dropAttachments, hasFiles } from '../accepting/attachments.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { canMoveDispatch, type DispatchMove, dispatchMoves, moveDispatch } from '../ledger/dispatch-stage.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Deliveries
  readonly files: Files
  readonly clock: Clock
  /** What a campaign does when its run has ended: it is sent, or in error for that reason. */
  readonly ended: (dispatch: Dispatch, errorMessage: string | undefined) => Promise<void>
}

/**
 * A dispatch that was stopped: the counter that its credit goes back to, whether its only delivery is all there is of it, and whether
 * it may be retried.
 */
export type Stopped = { readonly refund: string; readonly isSingle: boolean; readonly resumes: boolean }

/** What a dispatch is stopped by, where that can be mended: its deliveries fail for it, and may be sent again. */
export type Mendable = { readonly error: string }

/** How a dispatch ends: finished, with every delivery in a final state, or stopped. Both may be asked for twice. */
export const dispatchEnds = ({ repositories: { dispatches }, deliveries, files, clock, ended }: Deps) => {
  /** Makes the move where it is still to be made; whoever waits for the dispatch hears of it in any case. */
  const end = async (
    dispatchId: string,
    move: DispatchMove,
    change: (dispatch: Dispatch) => Dispatch = (one) => one,
  ) => {
    const now = clock().toISOString()
    const dispatch = await dispatches.change({ _id: dispatchId }, (current) => change(moveDispatch(current, move, now)))
    if (dispatch) await ended(dispatch, dispatch.errorMessage)
    return dispatch
  }

  /** Gives back, in the same step that ends the expansion, what no delivery has claimed; another worker's page goes before it. */
  const stopExpanding = async (dispatchId: string): Promise<void> => {
    for (;;) {
      const dispatch = await dispatches.get({ _id: dispatchId })
      if (dispatch?.stage !== 'expanding') return
      const { accountId, cursor, creditsHeld } = dispatch
      const stopped = await deliveries.expand({
        dispatchId,
        after: cursor,
        cursor: cursor ?? '',
        stage: dispatchMoves.stop.to,
        deliveries: [],
        creditsHeld: 0,
        ...(creditsHeld > 0 && { refund: { key: creditKey(accountId), n: creditsHeld } }),
        now: clock().toISOString(),
      })
      if (stopped) return
    }
  }

  /** Where a retry is to go on: noted before anything is stopped, so that it is known however far the stopping comes. */
  const noteResumption = (dispatchId: string) =>
    dispatches.change({ _id: dispatchId }, (one) =>
      canMoveDispatch(one, 'stop') ? { ...one, resumes: one.stage === 'expanding' ? 'expanding' : 'sending' } : one,
    )

  const finishIfDone = async (dispatchId: string): Promise<void> => {
    const dispatch = await dispatches.get({ _id: dispatchId })
    if (dispatch) await finishKnown(dispatch)
  }

  const finishKnown = async (dispatch: Dispatch): Promise<void> => {
    const { _id: dispatchId } = dispatch
    if (!canMoveDispatch(dispatch, 'finish') || (await deliveries.untried(dispatchId))) return
    if (await deliveries.open(dispatchId)) {
      // What is left was put off, for hours perhaps: whoever waits for the dispatch need not wait for that.
      if (canMoveDispatch(dispatch, 'putOff')) await end(dispatchId, 'putOff')
      return
    }
    if (hasFiles(dispatch) && (await deliveries.tally(dispatchId)).byStatus.failed === 0)
      await dropAttachments(files, dispatchId)
    await end(dispatchId, 'finish')
  }

  /** A single mail has no progress to note: nothing is written for it. */
  const dropIfSent = async ({ _id: dispatchId, attachments }: Dispatch): Promise<void> => {
    if (attachments && !(await deliveries.open(dispatchId))) await dropAttachments(files, dispatchId)
  }

  return {
    /**
     * Finishes the dispatch if all its deliveries are made and none is open; in the background, where all were tried. Attachments stay
     * while some might be retried.
     */
    finishIfDone,

    /** Some of its deliveries were settled: notes the progress, to the minute, and finishes what is done. */
    moved: async (dispatchId: string): Promise<void> => {
      const there = await dispatches.get({ _id: dispatchId })
      if (there?.stage === 'single') return dropIfSent(there)
      const now = clock().toISOString()
      const dispatch = await dispatches.change({ _id: dispatchId }, (current) =>
        current.progressAt.slice(0, 16) === now.slice(0, 16) ? current : { ...current, progressAt: now },
      )
      if (dispatch) await finishKnown(dispatch)
    },

    /**
     * Ends the dispatch with a reason; nobody is added any more, and what is still queued is excluded, its credit given back. What
     * is on its way meets the stopped dispatch when it comes back. What is mendable may be retried: what is still queued fails for it
     * instead. Answers what that dispatch was.
     */
    stop: async (dispatchId: string, reason: string, mendable?: Mendable): Promise<Stopped | undefined> => {
      if (mendable) await noteResumption(dispatchId)
      await stopExpanding(dispatchId)
      const dispatch = await end(dispatchId, 'stop', (one) =>
        one.stage === 'stopped' ? { errorMessage: reason, finishedAt: one.updatedAt, ...one } : one,
      )
      if (!dispatch) return undefined
      const refund = creditKey(dispatch.accountId)
      const resumes = dispatch.resumes !== undefined
      const error = resumes ? { name: mendable?.error ?? 'DispatchStopped', message: reason } : undefined
      await deliveries.stop(dispatchId, refund, clock().toISOString(), error)
      return { refund, isSingle: dispatch.stage === 'single', resumes }
    },
  }
}
export type DispatchEnds = ReturnType<typeof dispatchEnds>
