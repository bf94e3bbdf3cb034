import type { DesignVariables } from '../../design-systems/design-system.js'
import type { EmailContent } from '../../emails/email-content.js'
import type { InProject, Stamped } from '../../kernel/shapes.js'
import type { Channel } from '../channels/channel.js'
import type { Delivery } from './delivery.js'
import type { ResultCounts } from './dispatch-results.js'

export type DispatchKind = 'campaign' | 'triggered' | 'transactional' | 'test'

/**
 * Who a dispatch goes to. `list`: the active subscribers, in the segment where one is named. `addresses`: those of them that are
 * active on the list. `address`: that one, on a list or not; its delivery is made when the dispatch is accepted.
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
      /** Where they are many: how many stand in the pages of the dispatch of that id, beside which `emails` is empty. */
      readonly pages?: { readonly dispatchId: string; readonly addresses: number }
      readonly excludeUnengaged: boolean
    }
  | { readonly kind: 'address'; readonly email: string }

/** The list that it goes to, or by. */
export const listIdOf = (audience: DispatchAudience): string | undefined =>
  audience.kind === 'address' ? undefined : audience.subscriberListId

/**
 * `held`: a campaign that is still to start, for which credit is held; `expanding`: deliveries are still being made of the audience;
 * `sending`: all are made; `finishing`: all were tried, and those that were put off go on; `stopped`: nothing more is sent. `single`: to
 * one address, and for good: its only delivery says how it went.
 */
export type DispatchStage = 'held' | 'single' | 'expanding' | 'sending' | 'finishing' | 'finished' | 'stopped'

/** One sending of one email. Everything it is rendered from is frozen: the content, the sender, the data. */
export type Dispatch = InProject & {
  readonly accountId: string
  readonly kind: DispatchKind
  /** The campaign, triggered or transactional email. */
  readonly emailId: string
  /** The `Content` it is rendered from. */
  readonly contentId: string
  /** Merged into the top level of the template context. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly attachments?: readonly AttachmentRef[]
  /** Absent without feeds. */
  readonly feeds?: DispatchFeeds
  readonly audience: DispatchAudience
  /** By which its mails leave, as was decided when it was accepted; absent in older ones: the server's own. */
  readonly channel?: Channel
  /** What is told of its mails, as it was chosen when it was accepted; absent in older ones: nothing. */
  readonly tracking?: { readonly opens: boolean; readonly clicks: boolean }
  readonly stage: DispatchStage
  /** Where expansion goes on: the last contact id (list) or the next index (addresses); absent before the first page. */
  readonly cursor?: string
  /** Credits taken that no delivery has claimed yet; what is left when all deliveries are made is given back. */
  readonly creditsHeld: number
  /** When something last moved, to the minute: the watchdog's measure. */
  readonly progressAt: string
  /** Why its channel lets nothing through now, though it will by itself: noted every minute. */
  readonly waitsFor?: string
  readonly finishedAt?: string
  /** Why it was stopped. */
  readonly errorMessage?: string
  /** Stopped because its channel's mailer could not be had: where a retry has it go on. */
  readonly resumes?: 'expanding' | 'sending'
  /** What its mails had come to when its deliveries were removed, as they were old; while they are being, under way. */
  readonly pruned?: { readonly at: string; readonly counts: ResultCounts; readonly isUnderWay?: true }
}

/** What its deliveries say of whose statistics they belong to: nothing where it is a test (gaps.md, "Sends"). */
export const statisticsOf = ({ kind, emailId }: Pick<Dispatch, 'kind' | 'emailId'>): Pick<Delivery, 'emailId'> =>
  kind === 'test' ? {} : { emailId }

/** Feeds of a dispatch: how many have to be read, and for several recipients the file that keeps what was read. */
export type DispatchFeeds = {
  readonly distinct: number
  /** Absent until they are read. `bytes`: of the values in memory. */
  readonly kept?: { readonly file: string; readonly bytes: number }
}

export type AttachmentRef = {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  readonly file: string
}

/** What a dispatch is rendered from, kept once per distinct content: `_id` is its digest. */
export type Content = Stamped & {
  readonly projectId: string
  /** A visual document has become the HTML template that it makes. */
  readonly email: EmailContent
  /** The design system's variables as they were, where a template speaks of them. */
  readonly design?: DesignVariables
  readonly from: { readonly email: string; readonly name: string; readonly region: string }
}
