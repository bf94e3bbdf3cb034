import type { InProject } from '../kernel/shapes.js'

export const subscriberStatuses = ['unverified', 'active', 'paused', 'unsubscribed'] as const
export type SubscriberStatus = (typeof subscriberStatuses)[number]

/** A contact's membership of a list. Unique by list and contact. */
export type Subscriber = InProject & {
  readonly subscriberListId: string
  readonly contactId: string
  readonly status: SubscriberStatus
  /** While paused: until when. From then on the subscriber counts as active. */
  readonly pausedUntil?: string
}

/** What the stored status means now: a pause that is over is none. */
export const statusAt = (
  { status, pausedUntil }: Pick<Subscriber, 'status' | 'pausedUntil'>,
  now: string,
): SubscriberStatus => (status === 'paused' && pausedUntil !== undefined && pausedUntil <= now ? 'active' : status)
