import type { DesignVariables } from '../../design-systems/design-system.js'
import { addressKey } from '../../kernel/email-address.js'
import { without } from '../../kernel/merged.js'
import type { Secrets } from '../../kernel/ports.js'
import type { Repository } from '../../kernel/repository.js'
import type { InProject, Stamped } from '../../kernel/shapes.js'
import type { EmailContent } from '../../mail/content.js'
import type { SendingChannel } from '../channels/channel.js'
import type { Delivery, DeliveryError } from './delivery.js'
import type { ResultCounts } from './dispatch-results.js'

/** `direct`: its content came with the request. */
export const dispatchKinds = ['campaign', 'triggered', 'transactional', 'direct', 'test'] as const
export type DispatchKind = (typeof dispatchKinds)[number]

/** `list`: active subscribers, narrowed by a segment. `unopened`: active subscribers who neither opened nor clicked the mail of a dispatch. `addresses`: those active on the list. `address` and `recipients`: their deliveries are created at acceptance. */
export type DispatchAudience =
  | {
      readonly kind: 'list'
      readonly subscriberListId: string
      readonly segmentId?: string
      readonly excludeUnengaged: boolean
    }
  | {
      readonly kind: 'unopened'
      readonly subscriberListId: string
      readonly dispatchId: string
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
  | DirectAudience

/** At most `mostDirectRecipients`, each once. */
export type DirectAudience =
  | { readonly kind: 'address'; readonly email: string }
  | { readonly kind: 'recipients'; readonly emails: readonly string[] }

/** Of a `DirectAudience`. */
export const mostDirectRecipients = 50

export const isDirectAudience = (audience: DispatchAudience): audience is DirectAudience =>
  audience.kind === 'address' || audience.kind === 'recipients'

export const directAudienceAddresses = (audience: DirectAudience): readonly string[] =>
  audience.kind === 'address' ? [audience.email] : audience.emails

/** In ms; what was scheduled fails later than that, instead of being sent days late. */
export const longestLateness = 6 * 60 * 60_000

const markPrefix = 'f'.repeat(20)

/** Stands for the contact in tokens and return addresses of `recipients`: 24 digits that `NewId` makes in no year before 2106. */
export const recipientMark = (place: number): string => markPrefix + place.toString(16).padStart(4, '0')

/** By address; none for other audiences. */
export const recipientMarkByAddress = ({
  audience,
}: Pick<Dispatch, 'audience'>): ((email: string) => string | undefined) => {
  if (audience.kind !== 'recipients') return () => undefined
  const marks = new Map(audience.emails.map((email, place) => [addressKey(email), recipientMark(place)]))
  return (email) => marks.get(addressKey(email))
}

/** Undefined if it is the id of a contact. */
export const addressPlaceOfRecipientMark = (mark: string): number | undefined =>
  mark.startsWith(markPrefix) ? Number.parseInt(mark.slice(markPrefix.length), 16) : undefined

/** The address with that mark; without one, the only address. */
export const recipientAddressByMark = (audience: DispatchAudience, mark: string | undefined): string | undefined => {
  if (audience.kind === 'address') return mark === undefined ? audience.email : undefined
  return audience.kind === 'recipients' && mark !== undefined
    ? audience.emails[addressPlaceOfRecipientMark(mark) ?? -1]
    : undefined
}

export const subscriberListIdOf = (audience: DispatchAudience): string | undefined =>
  isDirectAudience(audience) ? undefined : audience.subscriberListId

/**
 * `held`: a campaign that has not started; `expanding`: deliveries are being created; `sending`: all exist; `finishing`: all were tried; `single`: to
 * a `DirectAudience`, permanently.
 */
export type DispatchStage = 'held' | 'single' | 'expanding' | 'sending' | 'finishing' | 'finished' | 'stopped'

export type Dispatch = InProject & {
  readonly accountId: string
  readonly kind: DispatchKind
  readonly emailId: string
  /** Absent if `own` is complete. */
  readonly contentId?: string
  /** Replaces the same parts of the stored content. */
  readonly own?: OwnContent
  readonly headers?: Readonly<Record<string, string>>
  readonly tags?: readonly string[]
  /** When the mails become due; absent: at once. */
  readonly sendAt?: string
  /** Top level of the template context. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly attachments?: readonly AttachmentRef[]
  /** Absent if the email has no feeds. */
  readonly feeds?: DispatchFeeds
  readonly audience: DispatchAudience
  /** Chosen at acceptance. */
  readonly channel: SendingChannel
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
  /** Stage that a retry resumes, if a mailer was unavailable or a person stopped the dispatch. */
  readonly resumes?: 'expanding' | 'sending'
  /** With `resumes`: the error of the deliveries that the stop failed. */
  readonly stopError?: DeliveryError
  /** Results at the removal of old deliveries. */
  readonly pruned?: { readonly at: string; readonly counts: ResultCounts; readonly isUnderWay?: true }
}

/** Stands for the email of mails without a stored one: their statistics and deliveries are listed under it. */
export const directEmailId = ({ digest }: Pick<Secrets, 'digest'>, projectId: string): string =>
  digest(`direct:${projectId}`).slice(0, 24)

/** None for a test (gaps.md, "Sends"). */
export const statisticsEmailId = ({ kind, emailId }: Pick<Dispatch, 'kind' | 'emailId'>): Pick<Delivery, 'emailId'> =>
  kind === 'test' ? {} : { emailId }

type DispatchFeeds = {
  readonly distinct: number
  /** Absent until read. `bytes`: in memory. */
  readonly kept?: { readonly file: string; readonly bytes: number }
}

export type AttachmentRef = {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  readonly file: string
  readonly contentId?: string
}

/** `_id` is its digest. */
export type ContentSnapshot = Stamped & SentContent & { readonly projectId: string }

export type SentContent = {
  /** For a visual document: the HTML rendered from it. */
  readonly email: EmailContent
  /** Absent if no template mentions them. */
  readonly design?: DesignVariables
  readonly from: { readonly email: string; readonly name: string; readonly region: string }
}

/** Content of one dispatch, stored in it and removed with it. */
type OwnContent = Partial<Omit<SentContent, 'email'>> & { readonly email: Partial<EmailContent> }

/** Undefined if the stored content is gone. */
export const sentContentLookup =
  ({ contents }: { readonly contents: Pick<Repository<ContentSnapshot>, 'get'> }) =>
  async ({ contentId, own, projectId }: Pick<Dispatch, 'contentId' | 'own' | 'projectId'>) => {
    if (contentId === undefined) return own as SentContent | undefined
    const stored = await contents.get({ _id: contentId, projectId })
    return stored && own ? { ...stored, ...own, email: { ...stored.email, ...own.email } } : stored
  }

/**
 * `send`: all deliveries exist; `putOff`: all were tried, some wait; `finish`: all are final; `retry`: failed deliveries are queued again. A dispatch
 * that its channel or a person stopped resumes. A dispatch to one address makes no moves.
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

export const stageAfterRetry = ({ resumes }: Pick<Dispatch, 'resumes'>) => resumes ?? dispatchMoves.retry.to

/** Whether failed deliveries may be queued again. `isUnderWay`: earlier ones were, and a stop since then counts. */
export const mayRetryDispatch = (
  dispatch: Pick<Dispatch, 'stage' | 'resumes' | 'pruned'>,
  isUnderWay = false,
): boolean =>
  isUnderWay && dispatch.stage === 'stopped'
    ? false
    : dispatch.stage === 'sending' || dispatch.stage === 'expanding' || canMoveDispatch(dispatch, 'retry')

const isEnd = (stage: DispatchStage) => stage === 'finished' || stage === 'stopped'

/** Unchanged if the table forbids the move: another process made it. */
export const moveDispatch = (dispatch: Dispatch, move: DispatchMove, now: string): Dispatch => {
  if (!canMoveDispatch(dispatch, move)) return dispatch
  const isRetry = move === 'retry'
  const to = isRetry ? stageAfterRetry(dispatch) : dispatchMoves[move].to
  return {
    ...without(dispatch, 'finishedAt', ...(isRetry ? (['resumes', 'errorMessage', 'stopError'] as const) : [])),
    stage: to,
    updatedAt: now,
    ...(isEnd(to) && { finishedAt: now }),
    ...(isRetry && { progressAt: now }),
  }
}
