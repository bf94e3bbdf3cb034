import type { Contact } from '../contacts/contact.js'
import type { Publish, SubscriptionEvent, SubscriptionEventType } from '../events/event.js'
import { type Figures, figuresOf, subjectOf } from '../figures/figure.js'
import type { Clock, NewId } from '../kernel/ports.js'
import type { RepositoriesFor, Where } from '../kernel/repository.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import { type DeliveryMark, deliveryId } from '../sending/ledger/delivery.js'
import type { Missing, Roster } from '../subscribers/roster.js'
import type { Subscriber, SubscriberStatus } from '../subscribers/subscriber.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ subscribers: Subscriber; contacts: Contact }>
  readonly roster: Pick<Roster, 'join'>
  readonly deliveries: Pick<Deliveries, 'get' | 'mark'>
  readonly figures: Pick<Figures, 'add'>
  readonly publish: Publish
  readonly clock: Clock
  readonly newId: NewId
}

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
 */
export const subscriptionRecorder = ({ repositories, roster, deliveries, figures, publish, clock, newId }: Deps) => {
  const { subscribers, contacts } = repositories

  const count = async (
    { subscriberListId, contactId }: Subscriber,
    metric: SubscriptionEventType,
    { dispatchId }: Cause,
    now: string,
  ): Promise<string | undefined> => {
    const delivery = dispatchId ? await deliveries.get(deliveryId(dispatchId, contactId)) : undefined
    const ofEmail = delivery?.emailId ? [{ subject: subjectOf.email(delivery.emailId), metric }] : []
    const mark = markOf[metric]
    await figures.add(figuresOf([{ subject: subjectOf.list(subscriberListId), metric }], now))
    if (delivery && mark) await deliveries.mark({ _id: delivery._id, mark, now, counted: () => ofEmail })
    else await figures.add(figuresOf(ofEmail, now))
    return delivery?._id
  }

  const happened = async (before: SubscriberStatus | 'none', after: Subscriber, cause: Cause): Promise<void> => {
    const type = eventTypes[before][after.status]
    if (!type) return
    const now = clock().toISOString()
    const deliveryId = await count(after, type, cause, now)
    const { _id: subscriberId, projectId, subscriberListId, contactId, status } = after
    const { email = '', name = '' } = (await contacts.get({ _id: contactId, projectId })) ?? {}
    const event: SubscriptionEvent = {
      _id: newId(),
      projectId,
      at: now,
      type,
      subscription: { subscriberId, subscriberListId, contactId, email, name, status },
      deliveryId,
    }
    await publish([event])
  }

  return {
    /** Answers what is missing, where the contact or the list is gone. @throws KeyTaken for somebody who is on the list already */
    add: async (membership: Subscriber, cause: Cause = {}): Promise<Missing | undefined> => {
      const missing = await roster.join(membership)
      if (!missing) await happened('none', membership, cause)
      return missing
    },

    /** As the repository's `change`. */
    change: async (
      where: Where<Subscriber>,
      decide: (current: Subscriber) => Subscriber,
      cause: Cause = {},
    ): Promise<Subscriber | undefined> => {
      let before: SubscriberStatus = 'active'
      const after = await subscribers.change(where, (current) => {
        before = current.status
        return decide(current)
      })
      if (after) await happened(before, after, cause)
      return after
    },
  }
}
export type SubscriptionRecorder = ReturnType<typeof subscriptionRecorder>
