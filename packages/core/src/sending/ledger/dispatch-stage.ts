import { without } from '../../kernel/merged.js'
import type { Dispatch, DispatchStage } from './dispatch.js'

/**
 * A dispatch's moves, as a table: its campaign starts (`begin`), all deliveries are made (`send`), all were tried and some put off
 * (`putOff`), every one has its final state (`finish`), nothing more is sent (`stop`), what failed is queued again (`retry`). One that
 * was stopped for its channel's sake may be retried as well, and goes on where it was. A dispatch to one address has none.
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

/** One whose deliveries are not kept any more makes no move. */
export const canMoveDispatch = (
  { stage, resumes, pruned }: Pick<Dispatch, 'stage' | 'resumes' | 'pruned'>,
  move: DispatchMove,
): boolean =>
  pruned === undefined &&
  ((dispatchMoves[move].from as readonly DispatchStage[]).includes(stage) ||
    (move === 'retry' && stage === 'stopped' && resumes !== undefined))

/** The stage that a retry of it leads to. */
export const retriedStage = ({ resumes }: Pick<Dispatch, 'resumes'>) => resumes ?? dispatchMoves.retry.to

/** Whether what failed of it may be queued again, also while that is under way. */
export const mayRetry = (dispatch: Pick<Dispatch, 'stage' | 'resumes' | 'pruned'>): boolean =>
  dispatch.stage === 'sending' || dispatch.stage === 'expanding' || canMoveDispatch(dispatch, 'retry')

const isEnd = (stage: DispatchStage) => stage === 'finished' || stage === 'stopped'

/** The dispatch after the move, as it is where the table does not allow it: whoever was faster has made it, or a later one. */
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
