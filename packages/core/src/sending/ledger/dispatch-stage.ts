import { without } from '../../kernel/merged.js'
import type { Dispatch, DispatchStage } from './dispatch.js'

/**
 * A dispatch's state machine: a held campaign starts (`begin`), all deliveries are created (`send`), all were tried and some put off
 * (`putOff`), all are final (`finish`), nothing more is sent (`stop`), failed deliveries are queued again (`retry`). A dispatch that was
 * stopped because of its channel may also be retried and continues where it was. A dispatch to one address makes no moves.
 */
export const dispatchMoves = {
  begin: { from: ['held'], to: 'expanding' },
  send: { from: ['expanding'], to: 'sending' },
  putOff: { from: ['sending'], to: 'finishing' },
  finish: { from: ['sending', 'finishing'], to: 'finished' },
  stop: { from: ['held', 'expanding', 'sending', 'finishing'], to: 'stopped' },
  retry: { from: ['finishing', 'finished'], to: 'sending' },
} as const satisfies Record<string, { from: readonly DispatchStage[]; to: DispatchStage }>
export type DispatchMove = keyof typeof dispatchMoves

/** A dispatch whose deliveries were pruned makes no move. */
export const canMoveDispatch = (
  { stage, resumes, pruned }: Pick<Dispatch, 'stage' | 'resumes' | 'pruned'>,
  move: DispatchMove,
): boolean =>
  pruned === undefined &&
  ((dispatchMoves[move].from as readonly DispatchStage[]).includes(stage) ||
    (move === 'retry' && stage === 'stopped' && resumes !== undefined))

/** The stage that a retry leads to. */
export const retriedStage = ({ resumes }: Pick<Dispatch, 'resumes'>) => resumes ?? dispatchMoves.retry.to

/** Whether failed deliveries may be queued again, also while that is in progress. */
export const mayRetry = (dispatch: Pick<Dispatch, 'stage' | 'resumes' | 'pruned'>): boolean =>
  dispatch.stage === 'sending' || dispatch.stage === 'expanding' || canMoveDispatch(dispatch, 'retry')

const isEnd = (stage: DispatchStage) => stage === 'finished' || stage === 'stopped'

/**
 * Returns the dispatch after the move, or unchanged if the table does not allow the move: another process has already made it or a later
 * one.
 */
export const moveDispatch = (dispatch: Dispatch, move: DispatchMove, now: string): Dispatch => {
  if (!canMoveDispatch(dispatch, move)) return dispatch
  const isRetry = move === 'retry'
  const to = isRetry ? retriedStage(dispatch) : dispatchMoves[move].to
  return {
    ...(without(dispatch, 'finishedAt', ...(isRetry ? (['resumes', 'errorMessage'] as const) : [])) as Dispatch),
    stage: to,
    updatedAt: now,
    ...(isEnd(to) && { finishedAt: now }),
    ...(isRetry && { progressAt: now }),
  }
}
