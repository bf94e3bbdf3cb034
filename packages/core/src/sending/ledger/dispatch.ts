import type { DesignVariables } from '../../design-systems/design-system.js'
import { without } from '../../kernel/merged.js'
import type { InProject, Stamped } from '../../kernel/shapes.js'
import type { EmailContent } from '../../mail/content.js'
import type { Channel } from '../channels/channel.js'
import type { Delivery } from './delivery.js'
import type { ResultCounts } from './dispatch-results.js'

export type DispatchKind = 'campaign' | 'triggered' | 'transactional' | 'test'

/** `list`: active subscribers, narrowed by a segment. `addresses`: those active on the list. `address`: its delivery is created at acceptance. */
export type DispatchAudience =
  | {
      readonly kind: 'list'
      readonly subscriberListId: string
      readonly segmentId?: string
      readonly excludeUnengaged: boolean
    }
  | {
      readonly kind: 'addresses'
      readonly subscriberListId: string
      readonly emails: readonly string[]
      /** Many addresses are stored as pages of that dispatch; `emails` is then empty. */
      readonly pages?: { readonly dispatchId: string; readonly addresses: number }
      readonly excludeUnengaged: boolean
    }
  | { readonly kind: 'address'; readonly email: string }

export const listIdOf = (audience: DispatchAudience): string | undefined =>
  audience.kind === 'address' ? undefined : audience.subscriberListId

/**
 * `held`: a campaign that has not started; `expanding`: deliveries are being created; `sending`: all exist; `finishing`: all were tried; `single`: to
 * one address, permanently.
 */
export type DispatchStage = 'held' | 'single' | 'expanding' | 'sending' | 'finishing' | 'finished' | 'stopped'

export type Dispatch = InProject & {
  readonly accountId: string
  readonly kind: DispatchKind
  readonly emailId: string
  readonly contentId: string
  /** Top level of the template context. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly attachments?: readonly AttachmentRef[]
  /** Absent if the email has no feeds. */
  readonly feeds?: DispatchFeeds
  readonly audience: DispatchAudience
  /** Chosen at acceptance. */
  readonly channel: Channel
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
  readonly stage: DispatchStage
  /** Last contact id (list) or next index (addresses). */
  readonly cursor?: string
  /** Credit taken and not used by deliveries. */
  readonly creditsHeld: number
  /** To the minute, for the watchdog. */
  readonly progressAt: string
  /** Why the channel sends nothing although it resumes by itself. */
  readonly waitsFor?: string
  readonly finishedAt?: string
  readonly errorMessage?: string
  /** Stage that a retry resumes, if a mailer was unavailable. */
  readonly resumes?: 'expanding' | 'sending'
  /** Results at the removal of old deliveries. */
  readonly pruned?: { readonly at: string; readonly counts: ResultCounts; readonly isUnderWay?: true }
}

/** None for a test (gaps.md, "Sends"). */
export const statisticsOf = ({ kind, emailId }: Pick<Dispatch, 'kind' | 'emailId'>): Pick<Delivery, 'emailId'> =>
  kind === 'test' ? {} : { emailId }

export type DispatchFeeds = {
  readonly distinct: number
  /** Absent until read. `bytes`: in memory. */
  readonly kept?: { readonly file: string; readonly bytes: number }
}

export type AttachmentRef = {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  readonly file: string
}

/** `_id` is its digest. */
export type Content = Stamped & {
  readonly projectId: string
  /** For a visual document: the HTML rendered from it. */
  readonly email: EmailContent
  /** Absent if no template mentions them. */
  readonly design?: DesignVariables
  readonly from: { readonly email: string; readonly name: string; readonly region: string }
}

/**
 * `send`: all deliveries exist; `putOff`: all were tried, some wait; `finish`: all are final; `retry`: failed deliveries are queued again. A dispatch
 * that its channel stopped resumes. A dispatch to one address makes no moves.
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

/** None after its deliveries were pruned. */
export const canMoveDispatch = (
  { stage, resumes, pruned }: Pick<Dispatch, 'stage' | 'resumes' | 'pruned'>,
  move: DispatchMove,
): boolean =>
  pruned === undefined &&
  ((dispatchMoves[move].from as readonly DispatchStage[]).includes(stage) ||
    (move === 'retry' && stage === 'stopped' && resumes !== undefined))

export const retriedStage = ({ resumes }: Pick<Dispatch, 'resumes'>) => resumes ?? dispatchMoves.retry.to

/** Whether failed deliveries may be queued again. */
export const mayRetry = (dispatch: Pick<Dispatch, 'stage' | 'resumes' | 'pruned'>): boolean =>
  dispatch.stage === 'sending' || dispatch.stage === 'expanding' || canMoveDispatch(dispatch, 'retry')

const isEnd = (stage: DispatchStage) => stage === 'finished' || stage === 'stopped'

/** Unchanged if the table forbids the move: another process made it. */
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
