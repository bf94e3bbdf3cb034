import { z } from 'zod'
import { type Contact, ContactFields, type EndedMembership, mostEndedMemberships } from '../contacts/contact.js'
import { without } from '../kernel/merged.js'
import { blocked, invalid } from '../kernel/refusal.js'
import { type InProject, Instant } from '../kernel/shapes.js'
import { isStorableText } from '../kernel/storable.js'
import { standaloneViolation, type Violation } from '../kernel/violation.js'
import { zonedInstantOf } from '../kernel/zoned-time.js'

export const subscriberStatuses = ['unverified', 'active', 'paused', 'unsubscribed'] as const
export type SubscriberStatus = (typeof subscriberStatuses)[number]

export const isSubscriberStatus = (text: unknown): text is SubscriberStatus =>
  (subscriberStatuses as readonly unknown[]).includes(text)

/** Unique by list and contact. */
export type Subscriber = InProject & {
  readonly subscriberListId: string
  readonly contactId: string
  readonly status: SubscriberStatus
  /** After it, a paused subscriber counts as active. */
  readonly pausedUntil?: string
  /** Of the latest signup through a form; its double opt-in still applies after a return by other means. */
  readonly signupFormId?: string
  /** The file import that first added them. */
  readonly importId?: string
  /** How they agreed, as recorded by the system that they came from. */
  readonly consent?: string
  /** When they last came back after leaving, and the form that they used. */
  readonly rejoined?: { readonly at: string; readonly signupFormId?: string }
  /** Not yet counted and published, oldest first; written with the change. */
  readonly owed?: readonly OwedSubscriptionEvent[]
  /** Set while `owed` is not empty; indexed. */
  readonly owes?: 'events'
}

/** Still to be counted, marked on its mail and published. */
export type OwedSubscriptionEvent = {
  readonly _id: string
  readonly type: 'subscribe' | 'unsubscribe' | 'resubscribe' | 'pause-subscription' | 'unpause-subscription'
  readonly at: string
  readonly status: SubscriberStatus
  /** The dispatch whose link caused it. */
  readonly dispatchId?: string
}

export const withOwedEvent = (subscriber: Subscriber, event: OwedSubscriptionEvent): Subscriber => ({
  ...subscriber,
  owed: [...(subscriber.owed ?? []), event],
  owes: 'events',
})

export const subscriberWithoutOwedEvent = (subscriber: Subscriber, eventId: string): Subscriber => {
  const { owed = [] } = subscriber
  const left = owed.filter(({ _id }) => _id !== eventId)
  if (left.length === owed.length) return subscriber
  return left.length > 0 ? { ...subscriber, owed: left } : without(subscriber, 'owed', 'owes')
}

export const newSubscriber = (
  membership: Omit<Subscriber, 'createdAt' | 'updatedAt' | 'pausedUntil'>,
  now: string,
): Subscriber => ({ ...membership, createdAt: now, updatedAt: now })

/** An expired pause counts as active. */
export const subscriberStatusAt = (
  { status, pausedUntil }: Pick<Subscriber, 'status' | 'pausedUntil'>,
  now: string,
): SubscriberStatus => (status === 'paused' && pausedUntil !== undefined && pausedUntil <= now ? 'active' : status)

const endAhead = (pausedUntil: string | undefined, now: string): string | undefined => {
  const end = pausedUntil === undefined ? undefined : zonedInstantOf(pausedUntil, 'UTC')
  return end === undefined || end <= now ? undefined : end
}

const notAhead = 'The pausedUntil date must be set in the future.'

/** In UTC without an offset. @throws Refusal `invalid` unless it is in the future */
export const parseSubscriptionPauseEnd = (pausedUntil: string | undefined, now: string): string => {
  const end = endAhead(pausedUntil, now)
  if (end === undefined) throw invalid(notAhead)
  return end
}

export const subscriberPauseViolations = (
  { status, pausedUntil }: { readonly status?: string | undefined; readonly pausedUntil?: string | undefined },
  now: string,
): readonly Violation[] =>
  (status === 'paused' || pausedUntil !== undefined) && endAhead(pausedUntil, now) === undefined
    ? [standaloneViolation('pausedUntil', notAhead)]
    : []

/**
 * Spec, "Subscriber status"; gaps.md, "Subscribers". `unconfirm`: a stranger changed the address; `resubscribe`, `reapply`: again, without and with a
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

export const subscriberMovesByTarget = {
  active: 'activate',
  paused: 'pause',
  unsubscribed: 'unsubscribe',
} as const satisfies Partial<Record<SubscriberStatus, SubscriberMove>>

/** Whether the move makes somebody a confirmed subscriber who was not one. */
export const isNewlyConfirmed = (status: SubscriberStatus | undefined, move: SubscriberMove): boolean =>
  subscriberMoves[move].to !== 'unsubscribed' && status !== 'active' && status !== 'paused'

export const canMoveSubscriber = (status: SubscriberStatus, move: SubscriberMove): boolean =>
  (subscriberMoves[move].from as readonly SubscriberStatus[]).includes(status)

/** The same object if nothing changes. @throws Refusal `blocked` if the table forbids the move */
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
  const until = to === 'paused' ? pausedUntil : undefined
  if (to === status && until === subscriber.pausedUntil) return subscriber
  return {
    ...without(subscriber, 'pausedUntil'),
    status: to,
    ...(until && { pausedUntil: until }),
    ...(status === 'unsubscribed' && { rejoined: { at: now } }),
    updatedAt: now,
  }
}

/** The same object if the table forbids the move. */
export const movedSubscriberIfAllowed = (
  subscriber: Subscriber,
  move: SubscriberMove,
  now: string,
  pausedUntil?: string,
): Subscriber =>
  canMoveSubscriber(subscriber.status, move) ? moveSubscriber(subscriber, move, now, pausedUntil) : subscriber

/** A membership that another system recorded. Instants are as `toISOString` writes them. */
export const ImportedMembership = z.strictObject({
  status: z.enum(['active', 'unverified', 'unsubscribed']),
  joinedAt: z.iso.datetime().optional(),
  changedAt: z.iso.datetime().optional(),
  consent: z.string().max(1000).refine(isStorableText, 'expected no half characters').optional(),
})
export type ImportedMembership = z.output<typeof ImportedMembership>

type Joining = {
  readonly at: string
  readonly signupFormId?: string | undefined
  readonly importId?: string | undefined
  readonly consent?: string | undefined
}

/** Of the last return after leaving, if there was one. */
export const joiningOf = ({ createdAt: at, signupFormId, importId, consent, rejoined }: Subscriber): Joining =>
  rejoined ?? { at, signupFormId, importId, consent }

/** The same object if all of them are kept already: a repetition after a crash. */
export const withEndedMemberships = (
  contact: Contact,
  memberships: readonly Subscriber[],
  endedBy: EndedMembership['endedBy'],
  now: string,
): Contact => {
  const kept = contact.endedMemberships ?? []
  const ended = memberships.map((membership): EndedMembership => {
    const { at: joinedAt, signupFormId, importId, consent } = joiningOf(membership)
    return {
      ...{ subscriberListId: membership.subscriberListId, joinedAt, endedAt: now, endedBy },
      ...(signupFormId !== undefined && { signupFormId }),
      ...(importId !== undefined && { importId }),
      ...(consent !== undefined && { consent }),
    }
  })
  const isKept = (one: EndedMembership) =>
    kept.some(
      ({ subscriberListId, joinedAt }) => subscriberListId === one.subscriberListId && joinedAt === one.joinedAt,
    )
  const added = ended.filter((one) => !isKept(one))
  if (added.length === 0) return contact
  return { ...contact, endedMemberships: [...kept, ...added].slice(-mostEndedMemberships) }
}

/** @throws Refusal `invalid` if the subscriber is not paused */
export const moveSubscriberPauseEnd = (subscriber: Subscriber, pausedUntil: string, now: string): Subscriber => {
  if (subscriberStatusAt(subscriber, now) !== 'paused')
    throw invalid('pausedUntil: give the status paused with it, as only the end of a pause that is on can be moved')
  return { ...subscriber, pausedUntil, updatedAt: now }
}

/** A contact on a list, as clients see it. */
export const SubscriberView = z
  .object({
    email: z.string().describe('Address of the subscriber'),
    status: z.enum(subscriberStatuses).describe('A pause that is over counts as active'),
    pausedUntil: Instant.optional().describe('Present while paused'),
    customFields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).describe('By API name'),
  })
  .meta({ id: 'Subscriber', description: 'A contact on a list' })
export type SubscriberView = z.output<typeof SubscriberView>

/** A subscription, as requested by API or browser. */
export const SubscribeFields = ContactFields.extend({
  status: z
    .enum(['unverified', 'active'])
    .optional()
    .describe(
      'Absent: unverified where the list has a double opt-in, else active; active skips it, but not in a browser',
    ),
}).meta({ id: 'SubscribeFields', description: 'Custom-field values are flat top-level keys' })
export type SubscribeFields = z.input<typeof SubscribeFields>
