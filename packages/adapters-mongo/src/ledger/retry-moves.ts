import { canMoveDispatch, type Delivery, type Dispatch, retriedStage } from '@posthorn/core/ports/storage'
import type { Move } from './step.js'

type Retried = Pick<Dispatch, '_id' | 'stage' | 'updatedAt' | 'resumes'>

/** The move that resumes the dispatch; none if it is already running. */
const goingOn = ({ _id, stage, updatedAt, resumes }: Retried, now: string): readonly Move[] =>
  canMoveDispatch({ stage, ...(resumes && { resumes }) }, 'retry')
    ? [
        {
          in: 'dispatches',
          _id,
          where: { stage, updatedAt },
          set: { stage: retriedStage({ ...(resumes && { resumes }) }), progressAt: now, updatedAt: now },
          unset: ['finishedAt', 'resumes', 'errorMessage'],
        },
      ]
    : []

const queuedAgain = ({ _id, status, attempts, updatedAt }: Delivery, now: string): Move => ({
  in: 'deliveries',
  _id,
  where: { status, attempts, updatedAt },
  set: { status: 'queued', attempts: 0, notBefore: now, updatedAt: now },
})

/** Moves that queue failed deliveries again and resume their dispatch. */
export const retryMoves = (dispatch: Retried, failed: readonly Delivery[], now: string): readonly Move[] => [
  ...goingOn(dispatch, now),
  ...failed.map((delivery) => queuedAgain(delivery, now)),
]
