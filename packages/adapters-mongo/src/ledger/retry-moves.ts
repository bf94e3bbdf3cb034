import { canMoveDispatch, type Delivery, type Dispatch, dispatchMoves } from '@posthorn/core'
import type { Move } from '../steps/step.js'

/** The dispatch goes on; nothing, where it does already. */
const goingOn = (
  { _id, stage, updatedAt }: Pick<Dispatch, '_id' | 'stage' | 'updatedAt'>,
  now: string,
): readonly Move[] =>
  canMoveDispatch({ stage }, 'retry')
    ? [
        {
          in: 'dispatches',
          _id,
          where: { stage, updatedAt },
          set: { stage: dispatchMoves.retry.to, progressAt: now, updatedAt: now },
          unset: ['finishedAt', 'errorMessage'],
        },
      ]
    : []

const queuedAgain = ({ _id, status, attempts, updatedAt }: Delivery, now: string): Move => ({
  in: 'deliveries',
  _id,
  where: { status, attempts, updatedAt },
  set: { status: 'queued', attempts: 0, notBefore: now, updatedAt: now },
})

/** What queues again deliveries that failed, and has their dispatch go on. */
export const retryMoves = (
  dispatch: Pick<Dispatch, '_id' | 'stage' | 'updatedAt'>,
  failed: readonly Delivery[],
  now: string,
): readonly Move[] => [...goingOn(dispatch, now), ...failed.map((delivery) => queuedAgain(delivery, now))]
