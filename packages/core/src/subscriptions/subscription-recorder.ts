import type { Contact } from '../contacts/contact.js'
import type { Publish, SubscriptionEvent, SubscriptionEventType } from '../events/event.js'
import { counted, figuresOf, subjectOf } from '../figures/figure.js'
import { without } from '../kernel/merged.js'
import type { Clock, NewId } from '../kernel/ports.js'
import type { RepositoriesFor, Where } from '../kernel/repository.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import { type DeliveryMark, deliveryId } from '../sending/ledger/delivery.js'
import type { Missing, Roster } from '../subscribers/roster.js'
import { type OwedEvent, owing, type Subscriber, type SubscriberStatus } from '../subscribers/subscriber.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ subscribers: Subscriber; contacts: Contact }>
  readonly roster: Pick<Roster, 'join' | 'settleOwed'>
  readonly deliveries: Pick<Deliveries, 'get' | 'mark'>
  readonly publish: Publish
  readonly clock: Clock
  readonly newId: NewId
}

/** How long an event is left to the process in which it happened, in milliseconds. */
const leftAlone = 60_000

/** The dispatch whose mail had the link that led to it, where one did. */
export type Cause = { readonly dispatchId?: string | undefined }

/** Which event it is to come from one status to another, as a table; `none`: not on the list. An address yet to be verified is no news. */
const eventTypes: Readonly<
  Record<SubscriberStatus | 'none', Partial<Record<SubscriberStatus, SubscriptionEventType>>>
> = {
  none: { active: 'subscribe', paused: 'subscribe' },
  unverified: { active: 'subscribe', paused: 'subscribe', unsubscribed: 'unsubscribe' },
  active: { paused: 'pause-subscription', unsubscribed: 'unsubscribe' },
  paused: { active: 'unpause-subscription', unsubscribed: 'unsubscribe' },
  unsubscribed: { active: 'resubscribe', paused: 'resubscribe' },
}

/** What the delivery keeps of it. */
const markOf: Partial<Record<SubscriptionEventType, DeliveryMark>> = {
  subscribe: 'subscribed',
  resubscribe: 'resubscribed',
  unsubscribe: 'unsubscribed',
  'pause-subscription': 'paused',
}

/**
 * Where memberships begin and change, one at a time: what follows from it is recorded here, so that no way in can forget it. An
 * import is no event, and writes memberships by itself.
 *
 * The event is written with the membership, and taken off it in the step that counts it: a process that dies in between leaves it to the
 * next. What comes before that step may be done again without a change.
 */
export const subscriptionRecorder = ({ repositories, roster, deliveries, publish, clock, newId }: Deps) => {
  const { subscribers, contacts } = repositories

  /** The membership as it is kept, with what the change from before means. */
  const kept = (
    before: SubscriberStatus | 'none',
    after: Subscriber,
    { dispatchId }: Cause,
    { _id, at }: Pick<OwedEvent, '_id' | 'at'>,
  ): Subscriber => {
    const type = eventTypes[before][after.status]
    return type ? owing(after, { _id, type, at, status: after.status, ...(dispatchId && { dispatchId }) }) : after
  }

  const settle = async (membership: Subscriber, { _id, type, at, status, dispatchId }: OwedEvent): Promise<void> => {
    const { _id: subscriberId, projectId, subscriberListId, contactId } = membership
    const delivery = dispatchId ? await deliveries.get(deliveryId(dispatchId, contactId)) : undefined
    const mark = markOf[type]
    if (delivery && mark) await deliveries.mark({ _id: delivery._id, mark, name: _id, now: at, counted: () => [] })
    const { email = '', name = '' } = (await contacts.get({ _id: contactId, projectId })) ?? {}
    const subscription = { subscriberId, subscriberListId, contactId, email, name, status }
    const event: SubscriptionEvent = { _id, projectId, at, type, subscription, deliveryId: delivery?._id }
    await publish([event])
    const subjects = [
      subjectOf.list(subscriberListId),
      ...(delivery?.emailId ? [subjectOf.email(delivery.emailId)] : []),
    ]
    await roster.settleOwed(membership, _id, figuresOf(counted(subjects, type), at))
  }

  /** The membership as others know it, when what it owed before that time has been told and counted. */
  const settled = async (membership: Subscriber, before?: string): Promise<Subscriber> => {
    for (const event of membership.owed ?? [])
      if (before === undefined || event.at < before) await settle(membership, event)
    return without(membership, 'owed', 'owes') as Subscriber
  }

  const anEvent = () => ({ _id: newId(), at: clock().toISOString() })

  return {
    /** Answers what is missing, where the contact or the list is gone. @throws KeyTaken for somebody who is on the list already */
    add: async (membership: Subscriber, cause: Cause = {}): Promise<Missing | undefined> => {
      const owingIt = kept('none', membership, cause, anEvent())
      const missing = await roster.join(owingIt)
      if (!missing) await settled(owingIt)
      return missing
    },

    /** As the repository's `change`. */
    change: async (
      where: Where<Subscriber>,
      decide: (current: Subscriber) => Subscriber,
      cause: Cause = {},
    ): Promise<Subscriber | undefined> => {
      const event = anEvent()
      const after = await subscribers.change(where, (current) => {
        const next = decide(current)
        return next === current ? current : kept(current.status, next, cause, event)
      })
      return after && settled(after)
    },

    /** Tells and counts what processes that died have left, a minute after it happened. */
    settleLeft: async (): Promise<void> => {
      const before = new Date(clock().getTime() - leftAlone).toISOString()
      for await (const membership of subscribers.each({ owes: 'events' })) await settled(membership, before)
    },
  }
}
export type SubscriptionRecorder = ReturnType<typeof subscriptionRecorder>
