import type { MailEvent, SubscriptionEvent } from '@posthorn/core'
import type { MailEventType, SubscriptionEventType } from '../../src/tracking/events.js'

const at = '2026-01-06T12:00:00.000Z'
const projectId = 'p'

export const aMailEvent = (type: MailEventType, given: Partial<MailEvent> = {}): MailEvent => ({
  _id: `event:${type}`,
  projectId,
  at,
  type,
  mail: {
    deliveryId: 'dispatch:contact',
    emailId: 'e'.repeat(24),
    kind: 'campaign',
    subject: 'Hello {{contact.name}}',
    to: 'ada@example.com',
    sentAt: '2026-01-06T11:00:00.000Z',
  },
  ...given,
})

export const aSubscriptionEvent = (
  type: SubscriptionEventType,
  subscriberListId: string,
  given: Partial<SubscriptionEvent> = {},
): SubscriptionEvent => ({
  _id: `event:${type}`,
  projectId,
  at,
  type,
  subscription: {
    subscriberId: 'd'.repeat(24),
    subscriberListId,
    contactId: 'c'.repeat(24),
    email: 'ada@example.com',
    name: 'Ada',
    status: 'active',
  },
  ...given,
})
