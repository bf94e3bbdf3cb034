import type { DeliveryError } from '../sending/ledger/delivery.js'
import type { DispatchKind } from '../sending/ledger/dispatch.js'
import type { SubscriberStatus } from '../subscribers/subscriber.js'

/** What happens to a mail: what sending causes, and what recipients and their servers do with it. */
const mailEventTypes = ['sent', 'failed', 'open', 'click', 'bounce', 'complaint'] as const
export type MailEventType = (typeof mailEventTypes)[number]

/** What happens to a membership of a list. */
const subscriptionEventTypes = [
  'subscribe',
  'unsubscribe',
  'resubscribe',
  'pause-subscription',
  'unpause-subscription',
] as const
export type SubscriptionEventType = (typeof subscriptionEventTypes)[number]

export type EventType = MailEventType | SubscriptionEventType

type Event = {
  /** Says that it is the same event, where one is told twice. */
  readonly _id: string
  readonly projectId: string
  /** ISO 8601, UTC. */
  readonly at: string
}

/** The mail that an event is about. */
export type EventMail = {
  readonly deliveryId: string
  /** The campaign, triggered or transactional email. */
  readonly emailId: string
  readonly kind: DispatchKind
  /** As rendered for that recipient; as stored where no mail could be made. */
  readonly subject: string
  readonly to: string
  /** Of one that failed: the time of the last attempt. */
  readonly sentAt?: string | undefined
}

/** Something that happened to a mail: as figures, contacts and webhooks hear of it. */
export type MailEvent = Event & {
  readonly type: MailEventType
  readonly mail: EventMail
  /** Of one that failed. */
  readonly errors?: readonly DeliveryError[]
  /** Of a bounce: what the server or the mail provider said, and its enhanced status (RFC 3463). */
  readonly reason?: string | undefined
  readonly status?: string | undefined
  /** Of an open or a click, as the recipient's program tells. */
  readonly userAgent?: string | undefined
  readonly referer?: string | undefined
  readonly ipAddress?: string | undefined
  /** Of a click: where to, and from which block of the document. */
  readonly link?: string | undefined
  readonly blockPosition?: string | undefined
  readonly blockName?: string | undefined
}

/** Somebody came onto a list, left it, or paused: as webhooks hear of it. */
export type SubscriptionEvent = Event & {
  readonly type: SubscriptionEventType
  readonly subscription: {
    readonly subscriberId: string
    readonly subscriberListId: string
    readonly contactId: string
    readonly email: string
    readonly name: string
    /** Afterwards. */
    readonly status: SubscriberStatus
  }
  /** The mail whose link led to it, where one did. */
  readonly deliveryId?: string | undefined
}

/** One thing that happened, as figures, contacts and webhooks hear of it. */
export type PosthornEvent = MailEvent | SubscriptionEvent

/** Hears of events. A promise that resolves means that none is lost; one told again, by its `_id`, is the same event. */
export type Publish = (events: readonly PosthornEvent[]) => Promise<void>

export const isMailEvent = (event: PosthornEvent): event is MailEvent => 'mail' in event
