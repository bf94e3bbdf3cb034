import type { DesignVariables } from '../../design-systems/design-system.js'
import type { InProject, Stamped } from '../../kernel/shapes.js'
import type { EmailContent } from '../../mail/content.js'
import type { Channel } from '../channels/channel.js'
import type { Delivery } from './delivery.js'
import type { ResultCounts } from './dispatch-results.js'
import { without } from '../../kernel/merged.js'

export type DispatchKind = 'campaign' | 'triggered' | 'transactional' | 'test'

/**
 * The audience of a dispatch. `list`: the list's active subscribers, narrowed by a segment if given. `addresses`: those of the addresses
 * that are active on the list. `address`: one address, on a list or not; its delivery is created when the dispatch is accepted.
 */
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
      /** For many addresses: the dispatch whose pages store them, and their number. `emails` is then empty. */
      readonly pages?: { readonly dispatchId: string; readonly addresses: number }
      readonly excludeUnengaged: boolean
    }
  | { readonly kind: 'address'; readonly email: string }

/** The audience's list. */
export const listIdOf = (audience: DispatchAudience): string | undefined =>
  audience.kind === 'address' ? undefined : audience.subscriberListId

/**
 * `held`: a campaign that has not started, with credit held; `expanding`: deliveries are being created from the audience; `sending`: all
 * deliveries exist; `finishing`: all were tried, and those put off continue; `stopped`: nothing more is sent. `single`: to one address,
 * permanently; its only delivery has the outcome.
 */
export type DispatchStage = 'held' | 'single' | 'expanding' | 'sending' | 'finishing' | 'finished' | 'stopped'

/** One sending of one email. Everything it is rendered from is frozen: content, sender and data. */
export type Dispatch = InProject & {
  readonly accountId: string
  readonly kind: DispatchKind
  /** The campaign, triggered or transactional email. */
  readonly emailId: string
  /** The `Content` that mails are rendered from. */
  readonly contentId: string
  /** Merged into the top level of the template context. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly attachments?: readonly AttachmentRef[]
  /** Absent if the email has no feeds. */
  readonly feeds?: DispatchFeeds
  readonly audience: DispatchAudience
  /** The sending channel, chosen at acceptance. */
  readonly channel: Channel
  /** What is tracked, chosen at acceptance. */
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
  readonly stage: DispatchStage
  /** Where expansion continues: the last contact id (list) or the next index (addresses); absent before the first page. */
  readonly cursor?: string
  /** Credits taken and not yet used by deliveries. The rest is returned when all deliveries exist. */
  readonly creditsHeld: number
  /** Last progress, to the minute; the watchdog compares it. */
  readonly progressAt: string
  /** Why the channel currently sends nothing although it will resume by itself; updated every minute. */
  readonly waitsFor?: string
  readonly finishedAt?: string
  /** Why the dispatch was stopped. */
  readonly errorMessage?: string
  /** The stage that a retry resumes. Set if the dispatch was stopped because its channel's mailer was unavailable. */
  readonly resumes?: 'expanding' | 'sending'
  /** Results as of the removal of old deliveries; `isUnderWay` while the removal is in progress. */
  readonly pruned?: { readonly at: string; readonly counts: ResultCounts; readonly isUnderWay?: true }
}

/** The email that deliveries count for; none for a test (gaps.md, "Sends"). */
export const statisticsOf = ({ kind, emailId }: Pick<Dispatch, 'kind' | 'emailId'>): Pick<Delivery, 'emailId'> =>
  kind === 'test' ? {} : { emailId }

/** A dispatch's feeds: how many must be read and, for several recipients, the file that stores the values. */
export type DispatchFeeds = {
  readonly distinct: number
  /** Absent until the feeds are read. `bytes`: size of the values in memory. */
  readonly kept?: { readonly file: string; readonly bytes: number }
}

export type AttachmentRef = {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  readonly file: string
}

/** What a dispatch is rendered from, stored once per distinct content: `_id` is its digest. */
export type Content = Stamped & {
  readonly projectId: string
  /** For a visual document: the HTML template rendered from it. */
  readonly email: EmailContent
  /** The design system's variables at acceptance; absent if no template mentions them. */
  readonly design?: DesignVariables
  readonly from: { readonly email: string; readonly name: string; readonly region: string }
}

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
