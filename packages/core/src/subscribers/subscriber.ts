import { z } from 'zod'
import { without } from '../kernel/merged.js'
import { blocked, invalid } from '../kernel/refusal.js'
import { type InProject, Instant } from '../kernel/shapes.js'
import { standingAlone, type Violation } from '../kernel/violation.js'
import { instantOf } from '../kernel/zoned-time.js'

export const subscriberStatuses = ['unverified', 'active', 'paused', 'unsubscribed'] as const
export type SubscriberStatus = (typeof subscriberStatuses)[number]

/** A contact's membership of a list. Unique by list and contact. */
export type Subscriber = InProject & {
  readonly subscriberListId: string
  readonly contactId: string
  readonly status: SubscriberStatus
  /** While paused: until when. From then on the subscriber counts as active. */
  readonly pausedUntil?: string
  /** The form that it came by: its double opt-in, where it has one, is what an unverified subscriber waits for. */
  readonly signupFormId?: string
  /** What happened to it and is not counted yet, the oldest first: written with the change itself, so that nothing is lost of it. */
  readonly owed?: readonly OwedEvent[]
  /** There while it owes any: by this they are found. */
  readonly owes?: 'events'
}

/** Something that happened to a membership, of which figures, the mail that led to it and the webhook are still to hear. */
export type OwedEvent = {
  readonly _id: string
  readonly type: 'subscribe' | 'unsubscribe' | 'resubscribe' | 'pause-subscription' | 'unpause-subscription'
  readonly at: string
  /** Afterwards. */
  readonly status: SubscriberStatus
  /** The dispatch whose mail had the link that led to it, where one did. */
  readonly dispatchId?: string
}

/** The membership with one event more that it owes. */
export const owing = (subscriber: Subscriber, event: OwedEvent): Subscriber => ({
  ...subscriber,
  owed: [...(subscriber.owed ?? []), event],
  owes: 'events',
})

/** The membership without an event that it owed; the same object where it does not. */
export const withoutOwed = (subscriber: Subscriber, eventId: string): Subscriber => {
  const { owed = [] } = subscriber
  const left = owed.filter(({ _id }) => _id !== eventId)
  if (left.length === owed.length) return subscriber
  return left.length > 0 ? { ...subscriber, owed: left } : (without(subscriber, 'owed', 'owes') as Subscriber)
}

/** A membership that begins now. */
export const newSubscriber = (
  membership: Omit<Subscriber, 'createdAt' | 'updatedAt' | 'pausedUntil'>,
  now: string,
): Subscriber => ({ ...membership, createdAt: now, updatedAt: now })

/** What the stored status means now: a pause that is over is none. */
export const statusAt = (
  { status, pausedUntil }: Pick<Subscriber, 'status' | 'pausedUntil'>,
  now: string,
): SubscriberStatus => (status === 'paused' && pausedUntil !== undefined && pausedUntil <= now ? 'active' : status)

const endAhead = (pausedUntil: string | undefined, now: string): string | undefined => {
  const end = pausedUntil === undefined ? undefined : instantOf(pausedUntil, 'UTC')
  return end === undefined || end <= now ? undefined : end
}

const notAhead = 'The pausedUntil date must be set in the future.'

/** The instant that a pause ends; without an offset it is read in UTC. @throws Refusal `invalid` unless it lies ahead */
export const pauseEnd = (pausedUntil: string | undefined, now: string): string => {
  const end = endAhead(pausedUntil, now)
  if (end === undefined) throw invalid(notAhead)
  return end
}

/** That a pause has an end, and that the end lies ahead. */
export const pauseViolations = (
  { status, pausedUntil }: { readonly status?: string | undefined; readonly pausedUntil?: string | undefined },
  now: string,
): readonly Violation[] =>
  (status === 'paused' || pausedUntil !== undefined) && endAhead(pausedUntil, now) === undefined
    ? [standingAlone('pausedUntil', notAhead)]
    : []

/**
 * The subscriber's moves, as a table (spec, "Subscriber status"; gaps.md, "Subscribers"). `confirm` is the double opt-in's link;
 * `unconfirm` takes it back when a stranger changes the address; `activate`, `pause` and `unsubscribe` are an update's; `resubscribe` and `reapply` are somebody coming back, without and with a
 * double opt-in.
 */
export const subscriberMoves = {
  confirm: { from: ['unverified'], to: 'active' },
  unconfirm: { from: ['active', 'paused'], to: 'unverified' },
  activate: { from: subscriberStatuses, to: 'active' },
  pause: { from: subscriberStatuses, to: 'paused' },
  unsubscribe: { from: subscriberStatuses, to: 'unsubscribed' },
  resubscribe: { from: ['unsubscribed'], to: 'active' },
  reapply: { from: ['unsubscribed'], to: 'unverified' },
  resume: { from: ['paused'], to: 'active' },
} as const satisfies Record<string, { from: readonly SubscriberStatus[]; to: SubscriberStatus }>
export type SubscriberMove = keyof typeof subscriberMoves

/** The move that an update to a status asks for. */
export const statusMoves = {
  active: 'activate',
  paused: 'pause',
  unsubscribed: 'unsubscribe',
} as const satisfies Partial<Record<SubscriberStatus, SubscriberMove>>

/** Whether the move makes a confirmed subscriber of somebody who is none: not on the list, not yet verified, or gone. */
export const isReturn = (status: SubscriberStatus | undefined, move: SubscriberMove): boolean =>
  subscriberMoves[move].to !== 'unsubscribed' && status !== 'active' && status !== 'paused'

export const canMoveSubscriber = (status: SubscriberStatus, move: SubscriberMove): boolean =>
  (subscriberMoves[move].from as readonly SubscriberStatus[]).includes(status)

/** The subscriber after the move; only a paused one keeps a `pausedUntil`. @throws Refusal `blocked` when the table does not allow it */
export const moveSubscriber = (
  subscriber: Subscriber,
  move: SubscriberMove,
  now: string,
  pausedUntil?: string,
): Subscriber => {
  const { status } = subscriber
  const { to } = subscriberMoves[move]
  if (!canMoveSubscriber(status, move))
    throw blocked(`A subscriber with status ${status} cannot become ${to} this way.`)
  return {
    ...(without(subscriber, 'pausedUntil') as Subscriber),
    status: to,
    ...(to === 'paused' && pausedUntil && { pausedUntil }),
    updatedAt: now,
  }
}

/** The subscriber with another end of the pause that is on. @throws Refusal `invalid` for who is not paused */
export const movePauseEnd = (subscriber: Subscriber, pausedUntil: string, now: string): Subscriber => {
  if (statusAt(subscriber, now) !== 'paused')
    throw invalid('pausedUntil: give the status paused with it, as only the end of a pause that is on can be moved')
  return { ...subscriber, pausedUntil, updatedAt: now }
}

/** What a client sees of a membership. */
export const SubscriberView = z
  .object({
    email: z.string().meta({ description: 'Address of the subscriber' }),
    status: z.enum(subscriberStatuses).meta({ description: 'A pause that is over counts as active' }),
    pausedUntil: Instant.optional().meta({ description: 'Present while paused' }),
    customFields: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .meta({ description: 'By API name' }),
  })
  .meta({ id: 'Subscriber', description: 'A contact on a list' })
export type SubscriberView = z.output<typeof SubscriberView>
