import type { SubscriberStatus } from '../lists/subscriber.js'
import type { DeliveryError } from '../sending/ledger/delivery.js'
import type { DispatchKind } from '../sending/ledger/dispatch.js'

/** Events of a mail, caused by sending, recipients or their servers. */
const mailEventTypes = ['sent', 'failed', 'open', 'click', 'bounce', 'complaint'] as const
export type MailEventType = (typeof mailEventTypes)[number]

/** Events of a list membership. */
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
  /** Idempotency key: an event that is published twice keeps its id. */
  readonly _id: string
  readonly projectId: string
  /** ISO 8601, UTC. */
  readonly at: string
}

export type EventMail = {
  readonly deliveryId: string
  /** The campaign, triggered or transactional email. */
  readonly emailId: string
  readonly kind: DispatchKind
  /** Rendered for the recipient; as stored if the mail could not be rendered. */
  readonly subject: string
  readonly to: string
  /** For `failed`: the time of the last attempt. */
  readonly sentAt?: string | undefined
}

/** Something that happened to a mail, as published to figures, contacts and webhooks. */
export type MailEvent = Event & {
  readonly type: MailEventType
  readonly mail: EventMail
  /** For `failed`. */
  readonly errors?: readonly DeliveryError[]
  /** For `bounce`: the text of the server or provider, and its enhanced status (RFC 3463). */
  readonly reason?: string | undefined
  readonly status?: string | undefined
  /** For `open` and `click`: as the recipient's program sent them. */
  readonly userAgent?: string | undefined
  readonly referer?: string | undefined
  readonly ipAddress?: string | undefined
  /** For `click`: the target, and the block of the document. */
  readonly link?: string | undefined
  readonly blockPosition?: string | undefined
  readonly blockName?: string | undefined
}

/** A change of a membership, as published to webhooks. */
export type SubscriptionEvent = Event & {
  readonly type: SubscriptionEventType
  readonly subscription: {
    readonly subscriberId: string
    readonly subscriberListId: string
    readonly contactId: string
    readonly email: string
    readonly name: string
    /** After the change. */
    readonly status: SubscriberStatus
  }
  /** The mail whose link caused the change, if any. */
  readonly deliveryId?: string | undefined
}

/** Any event, as published to figures, contacts and webhooks. */
export type PosthornEvent = MailEvent | SubscriptionEvent

/** Publishes events. Resolves once none can be lost; an event with the same `_id` may be published again. */
export type Publish = (events: readonly PosthornEvent[]) => Promise<void>

export const isMailEvent = (event: PosthornEvent): event is MailEvent => 'mail' in event
