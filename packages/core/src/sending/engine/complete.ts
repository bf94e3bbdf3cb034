import { creditCounterKey } from '../../accounts/account.js'
import type { Runtime } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { dispatchHasFiles, removeStoredAttachments } from '../acceptance/attachments.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { DeliveryError } from '../ledger/delivery.js'
import { canMoveDispatch, type Dispatch, type DispatchMove, dispatchMoves, moveDispatch } from '../ledger/dispatch.js'

type Deps = Pick<Runtime, 'files' | 'clock'> & {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch }>
  readonly deliveries: Deliveries
  /** May be called again. The reason is given if the dispatch failed. */
  readonly onEnd: (dispatch: Dispatch, errorMessage: string | undefined) => Promise<void>
}

/** `refund`: the counter that gets the credit back. `error`: of the deliveries, if the dispatch can be resumed. */
export type StoppedDispatch = {
  readonly refund: string
  readonly isSingle: boolean
  readonly error: DeliveryError | undefined
}

/** Queued deliveries fail with this error, and can be retried. */
export type RepairableStop = { readonly error: string }

/** Ends dispatches: finished, or stopped with a reason. Idempotent. */
export const dispatchCompleter = ({ repositories: { dispatches }, deliveries, files, clock, onEnd }: Deps) => {
  const end = async (dispatchId: string, move: DispatchMove) => {
    const now = clock().toISOString()
    const dispatch = await dispatches.change({ _id: dispatchId }, (current) => moveDispatch(current, move, now))
    if (dispatch) await onEnd(dispatch, dispatch.errorMessage)
  }

  /** Ends the fan-out and refunds unused credit in one step. A page that another worker adds first wins. */
  const stopFanOut = async (dispatchId: string): Promise<void> => {
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
        ...(creditsHeld > 0 && { refund: { key: creditCounterKey(accountId), n: creditsHeld } }),
        now: clock().toISOString(),
      })
      if (stopped) return
    }
  }

  /** Stored before anything is stopped, in case the process dies halfway. */
  const noteResumption = (dispatchId: string, stopError: DeliveryError) =>
    dispatches.change({ _id: dispatchId }, (one) =>
      canMoveDispatch(one, 'stop')
        ? { ...one, resumes: one.stage === 'expanding' ? 'expanding' : 'sending', stopError }
        : one,
    )

  /**
   * Whether at most a third was put off. Their servers may take hours, so the campaign counts as sent; if more wait, it is the relay that takes
   * nothing.
   */
  const isForFew = async (dispatchId: string): Promise<boolean> => {
    const { queued, sending, uncertain, sent, failed } = (await deliveries.tally(dispatchId)).byStatus
    return 2 * (queued + sending + uncertain) <= sent + failed
  }

  const finishKnown = async (dispatch: Dispatch): Promise<void> => {
    const { _id: dispatchId } = dispatch
    if (!canMoveDispatch(dispatch, 'finish') || (await deliveries.untried(dispatchId))) return
    if (await deliveries.open(dispatchId)) {
      if (canMoveDispatch(dispatch, 'putOff') && (await isForFew(dispatchId))) await end(dispatchId, 'putOff')
      return
    }
    if (dispatchHasFiles(dispatch) && (await deliveries.tally(dispatchId)).byStatus.failed === 0)
      await removeStoredAttachments(files, dispatchId)
    await end(dispatchId, 'finish')
  }

  /** A dispatch to one address has no stages. */
  const completeSingle = async ({ _id: dispatchId, attachments }: Dispatch): Promise<void> => {
    if (attachments && !(await deliveries.open(dispatchId))) await removeStoredAttachments(files, dispatchId)
  }

  return {
    /** Attachments stay while failed deliveries can be retried. */
    finishIfDone: async (dispatchId: string): Promise<void> => {
      const dispatch = await dispatches.get({ _id: dispatchId })
      if (dispatch) await finishKnown(dispatch)
    },

    /** To the minute. */
    noteProgress: async (dispatchId: string): Promise<void> => {
      const stored = await dispatches.get({ _id: dispatchId })
      if (stored?.stage === 'single') return completeSingle(stored)
      const now = clock().toISOString()
      const dispatch = await dispatches.change({ _id: dispatchId }, (current) =>
        current.progressAt.slice(0, 16) === now.slice(0, 16) ? current : { ...current, progressAt: now },
      )
      if (dispatch) await finishKnown(dispatch)
    },

    /** The owner is notified last: until then, nobody can resume what is still being stopped. */
    stop: async (
      dispatchId: string,
      reason: string,
      repairable?: RepairableStop,
    ): Promise<StoppedDispatch | undefined> => {
      if (repairable) await noteResumption(dispatchId, { name: repairable.error, message: reason })
      await stopFanOut(dispatchId)
      const now = clock().toISOString()
      const dispatch = await dispatches.change({ _id: dispatchId }, (current) => {
        const one = moveDispatch(current, 'stop', now)
        const errorMessage = one.stopError?.message ?? reason
        return one.stage === 'stopped' ? { errorMessage, finishedAt: one.updatedAt, ...one } : one
      })
      if (!dispatch) return undefined
      const refund = creditCounterKey(dispatch.accountId)
      const error = dispatch.resumes && (dispatch.stopError ?? { name: 'DispatchStopped', message: reason })
      await deliveries.stop(dispatchId, refund, now, error)
      await onEnd(dispatch, dispatch.errorMessage)
      return { refund, isSingle: dispatch.stage === 'single', error }
    },
  }
}
export type DispatchCompleter = ReturnType<typeof dispatchCompleter>
