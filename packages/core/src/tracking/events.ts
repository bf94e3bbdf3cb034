import type { SubscriberStatus } from '../lists/subscriber.js'
import type { StatisticsAttribution } from '../sending/ledger/attribution.js'
import type { Delivery, DeliveryError } from '../sending/ledger/delivery.js'
import type { DispatchKind } from '../sending/ledger/dispatch.js'

const mailEventTypes = ['sent', 'failed', 'open', 'click', 'bounce', 'complaint'] as const
export type MailEventType = (typeof mailEventTypes)[number]

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
  /** Idempotency key. */
  readonly _id: string
  readonly projectId: string
  /** ISO 8601, UTC. */
  readonly at: string
}

type EventMail = {
  readonly deliveryId: string
  readonly emailId: string
  readonly kind: DispatchKind
  /** As stored if the mail could not be rendered. */
  readonly subject: string
  readonly to: string
  readonly tags?: readonly string[] | undefined
  /** For `failed`: of the last attempt. */
  readonly sentAt?: string | undefined
}

/** Something that happened to a mail, as published to figures, contacts and webhooks. */
export type MailEvent = Event & {
  readonly type: MailEventType
  readonly mail: EventMail
  /** For `failed`. */
  readonly errors?: readonly DeliveryError[]
  /** For `bounce`: the server's text and enhanced status (RFC 3463). */
  readonly reason?: string | undefined
  readonly status?: string | undefined
  readonly userAgent?: string | undefined
  readonly referer?: string | undefined
  readonly ipAddress?: string | undefined
  /** For `click`: target and block. */
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
  readonly deliveryId?: string | undefined
}

/** For figures, contacts and webhooks. */
export type PosthornEvent = MailEvent | SubscriptionEvent

/** Resolves once no event can be lost. Events may be published again with the same `_id`. */
export type PublishEvents = (events: readonly PosthornEvent[]) => Promise<void>

/** `subject`: as rendered, if known. */
export const eventMailOf = (
  { _id: deliveryId, email: to, sentAt: stored, subject: rendered }: Delivery,
  { dispatch: { emailId, kind, tags }, subject: written }: StatisticsAttribution,
  { subject = rendered ?? written, sentAt = stored }: { subject?: string | undefined; sentAt?: string },
): EventMail => ({ deliveryId, emailId, kind, subject, to, tags, sentAt })

type Outcome = {
  readonly type: 'sent' | 'failed'
  readonly at: string
  /** Default: `at`. */
  readonly sentAt?: string
  readonly error?: DeliveryError | undefined
  readonly subject?: string | undefined
}

/** Of an attempt, always the same id, so that only one is posted. */
export const outcomeEvent = (
  delivery: Delivery,
  attribution: StatisticsAttribution,
  { type, at, sentAt = at, error, subject }: Outcome,
): MailEvent => {
  const { _id, projectId, attempts } = delivery
  return {
    _id: type === 'sent' ? `${_id}:sent` : `${_id}:failed:${attempts}`,
    projectId,
    at,
    type,
    mail: eventMailOf(delivery, attribution, { subject, sentAt }),
    ...(error && type === 'failed' && { errors: [error] }),
  }
}

export const isMailEvent = (event: PosthornEvent): event is MailEvent => 'mail' in event
