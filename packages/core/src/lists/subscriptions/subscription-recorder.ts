import type { Contact } from '../../contacts/contact.js'
import { without } from '../../kernel/merged.js'
import type { Runtime } from '../../kernel/ports.js'
import type { RepositoriesFor, Where } from '../../kernel/repository.js'
import { figureKeys, figureSubject, quarterHourFigures } from '../../reporting/figures/figure.js'
import type { Deliveries } from '../../sending/ledger/deliveries.js'
import { type DeliveryMark, deliveryId } from '../../sending/ledger/delivery.js'
import type { PublishEvents, SubscriptionEvent, SubscriptionEventType } from '../../tracking/events.js'
import type { MembershipStore, MissingContactOrList } from '../membership-store.js'
import { type OwedSubscriptionEvent, type Subscriber, type SubscriberStatus, withOwedEvent } from '../subscriber.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ subscribers: Subscriber; contacts: Contact }>
  readonly membershipStore: Pick<MembershipStore, 'join' | 'settleOwed'>
  readonly deliveries: Pick<Deliveries, 'get' | 'mark'>
  readonly publish: PublishEvents
}

/** In ms; then its process presumably died. */
const leftAlone = 60_000

/** The dispatch whose link led to the change. */
export type SubscriptionCause = { readonly dispatchId?: string | undefined }

const eventTypes: Readonly<
  Record<SubscriberStatus | 'none', Partial<Record<SubscriberStatus, SubscriptionEventType>>>
> = {
  none: { active: 'subscribe', paused: 'subscribe' },
  unverified: { active: 'subscribe', paused: 'subscribe', unsubscribed: 'unsubscribe' },
  active: { paused: 'pause-subscription', unsubscribed: 'unsubscribe' },
  paused: { active: 'unpause-subscription', unsubscribed: 'unsubscribe' },
  unsubscribed: { active: 'resubscribe', paused: 'resubscribe' },
}

const markOf: Partial<Record<SubscriptionEventType, DeliveryMark>> = {
  subscribe: 'subscribed',
  resubscribe: 'resubscribed',
  unsubscribe: 'unsubscribed',
  'pause-subscription': 'paused',
}

/**
 * An event is stored with its membership and removed in the step that counts it; after a crash another process
 * finishes. Imports create none.
 */
export const subscriptionRecorder = ({ repositories, membershipStore, deliveries, publish, clock, newId }: Deps) => {
  const { subscribers, contacts } = repositories

  const kept = (
    before: SubscriberStatus | 'none',
    after: Subscriber,
    { dispatchId }: SubscriptionCause,
    { _id, at }: Pick<OwedSubscriptionEvent, '_id' | 'at'>,
  ): Subscriber => {
    const type = eventTypes[before][after.status]
    return type
      ? withOwedEvent(after, { _id, type, at, status: after.status, ...(dispatchId && { dispatchId }) })
      : after
  }

  const settle = async (
    membership: Subscriber,
    { _id, type, at, status, dispatchId }: OwedSubscriptionEvent,
  ): Promise<void> => {
    const { _id: subscriberId, projectId, subscriberListId, contactId } = membership
    const delivery = dispatchId ? await deliveries.get(deliveryId(dispatchId, contactId)) : undefined
    const mark = markOf[type]
    if (delivery && mark) await deliveries.mark({ _id: delivery._id, mark, name: _id, now: at, counted: () => [] })
    const { email = '', name = '' } = (await contacts.get({ _id: contactId, projectId })) ?? {}
    const subscription = { subscriberId, subscriberListId, contactId, email, name, status }
    const event: SubscriptionEvent = { _id, projectId, at, type, subscription, deliveryId: delivery?._id }
    await publish([event])
    const subjects = [
      figureSubject.list(subscriberListId),
      ...(delivery?.emailId ? [figureSubject.email(delivery.emailId)] : []),
    ]
    await membershipStore.settleOwed(membership, _id, quarterHourFigures(figureKeys(subjects, type), at))
  }

  /** Publishes and counts the events from before the given time. */
  const settled = async (membership: Subscriber, before?: string): Promise<Subscriber> => {
    for (const event of membership.owed ?? [])
      if (before === undefined || event.at < before) await settle(membership, event)
    return without(membership, 'owed', 'owes')
  }

  const anEvent = () => ({ _id: newId(), at: clock().toISOString() })

  return {
    /** With its event; the caller stores it, then calls `settle`. */
    begun: (membership: Subscriber): Subscriber => kept('none', membership, {}, anEvent()),
    settle: (membership: Subscriber): Promise<Subscriber> => settled(membership),

    /** Returns what was deleted, if anything. @throws KeyTaken if the contact is on the list */
    add: async (membership: Subscriber, cause: SubscriptionCause = {}): Promise<MissingContactOrList | undefined> => {
      const owingIt = kept('none', membership, cause, anEvent())
      const missing = await membershipStore.join(owingIt)
      if (!missing) await settled(owingIt)
      return missing
    },

    change: async (
      where: Where<Subscriber>,
      decide: (current: Subscriber) => Subscriber,
      cause: SubscriptionCause = {},
    ): Promise<Subscriber | undefined> => {
      const event = anEvent()
      const after = await subscribers.change(where, (current) => {
        const next = decide(current)
        return next === current ? current : kept(current.status, next, cause, event)
      })
      return after && settled(after)
    },

    /** Events that dead processes left. */
    settleLeft: async (): Promise<void> => {
      const before = new Date(clock().getTime() - leftAlone).toISOString()
      for await (const membership of subscribers.each({ owes: 'events' })) await settled(membership, before)
    },
  }
}
export type SubscriptionRecorder = ReturnType<typeof subscriptionRecorder>
