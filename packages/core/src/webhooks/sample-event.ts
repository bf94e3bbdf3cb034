import { deliveryId } from '../sending/ledger/delivery.js'
import type { PosthornEvent } from '../tracking/events.js'
import type { WebhookEventType } from './webhook.js'
import type { EventSetting } from './webhook-event.js'

const subscriptionStatus = {
  subscribe: 'active',
  resubscribe: 'active',
  unsubscribe: 'unsubscribed',
  'pause-subscription': 'paused',
} as const

const isSubscriptionType = (type: WebhookEventType): type is keyof typeof subscriptionStatus =>
  Object.hasOwn(subscriptionStatus, type)

type Made = {
  readonly projectId: string
  readonly newId: () => string
  /** ISO 8601, UTC. */
  readonly at: string
}

/** A synthetic event with all fields of a real one of its type, for `test-webhook`. */
export const sampleEvent = (type: WebhookEventType, { projectId, newId, at }: Made): PosthornEvent => {
  const event = { _id: newId(), projectId, at }
  if (isSubscriptionType(type))
    return {
      ...event,
      type,
      subscription: {
        subscriberId: newId(),
        subscriberListId: newId(),
        contactId: newId(),
        email: 'reader@example.com',
        name: 'A reader',
        status: subscriptionStatus[type],
      },
    }
  return {
    ...event,
    type,
    mail: {
      deliveryId: deliveryId(newId(), 'reader@example.com'),
      emailId: newId(),
      kind: 'campaign',
      subject: 'A test of the webhook',
      to: 'reader@example.com',
      sentAt: at,
    },
    ...(type === 'bounce' && { reason: '550 5.1.1 User unknown', status: '5.1.1' }),
    ...(type === 'failed' && { errors: [{ name: '550', message: 'No such user' }] }),
    ...((type === 'open' || type === 'click') && {
      userAgent: 'Posthorn test',
      referer: 'https://example.com/',
      ipAddress: '192.0.2.1',
    }),
    ...(type === 'click' && { link: 'https://example.com/news', blockPosition: '1', blockName: 'button' }),
  }
}

/** The list of a sample event. */
export const sampleList = (subscriberListId: string): EventSetting['subscriberList'] => ({
  _id: subscriberListId,
  name: 'A list',
  private: false,
})
