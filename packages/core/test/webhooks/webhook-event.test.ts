import { dispatchIdOf } from '@posthorn/core/ports/storage'
import { WebhookEvent } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { webhookEventOf } from '../../src/webhooks/webhook-event.js'
import { aMailEvent, aSubscriptionEvent } from './events.js'

const owners = {
  account: { _id: 'a', name: 'Acme', urlFriendlyName: 'acme', credits: 7 },
  project: { _id: 'p', name: 'Shop', cloudConfig: { secretAccessKey: 'sealed' } },
}
const subscriberList = { _id: 'l', name: 'Readers', private: false, projectId: 'p' }
const envelope = {
  account: { _id: 'a', name: 'Acme', urlFriendlyName: 'acme' },
  project: { _id: 'p', name: 'Shop' },
  createdAt: '2026-01-06T12:00:00.000Z',
}
const { deliveryId } = aMailEvent('sent').mail
const emailData = {
  _id: 'e'.repeat(24),
  dispatchId: dispatchIdOf(deliveryId),
  deliveryId,
  sentAt: '2026-01-06T11:00:00.000Z',
  to: 'ada@example.com',
  type: 'campaign',
  subject: 'Hello {{contact.name}}',
}
const recipient = { userAgent: 'Mail/1.0', referer: 'https://mail.example.com/', ipAddress: '192.0.2.7' }
const link = { link: 'https://shop.example.com/', blockPosition: '3', blockName: 'button' }
const bounced = { reason: '550 5.1.1 User unknown', status: '5.1.1' }
const everything = { ...recipient, ...link, ...bounced, errors: [{ name: '550', message: 'No such user' }] }

describe('the posted event', () => {
  it.each(['sent', 'complaint'] as const)('of a %s contains only the mail', (type) => {
    expect(webhookEventOf(aMailEvent(type, everything), owners)).toEqual({ type, ...envelope, emailData })
  })

  it('of a bounce also contains the reason, and the status if there is one', () => {
    const told = webhookEventOf(aMailEvent('bounce', everything), owners)
    expect(told).toEqual({ type: 'bounce', ...envelope, emailData, ...bounced })
    expect(JSON.parse(JSON.stringify(webhookEventOf(aMailEvent('bounce'), owners)))).toEqual({
      type: 'bounce',
      ...envelope,
      emailData,
      reason: 'The mail bounced. The server gave no reason.',
    })
  })

  it('of an open also contains the client', () => {
    const told = webhookEventOf(aMailEvent('open', everything), owners)
    expect(told).toEqual({ type: 'open', ...envelope, emailData, ...recipient })
  })

  it('of a click also contains the link', () => {
    const told = webhookEventOf(aMailEvent('click', everything), owners)
    expect(told).toEqual({ type: 'click', ...envelope, emailData, ...recipient, ...link })
  })

  it('of an open by an unknown program contains only the mail', () => {
    expect(JSON.parse(JSON.stringify(webhookEventOf(aMailEvent('open'), owners)))).toEqual({
      type: 'open',
      ...envelope,
      emailData,
    })
  })

  it('of a failure contains the errors and the time of the last attempt', () => {
    const failed = aMailEvent('failed', everything)
    expect(webhookEventOf(failed, owners)).toEqual({
      type: 'failed',
      ...envelope,
      emailData,
      errors: everything.errors,
    })
  })

  it.each(['subscribe', 'unsubscribe', 'resubscribe', 'pause-subscription'] as const)(
    'of a %s contains the membership with its list',
    (type) => {
      expect(webhookEventOf(aSubscriptionEvent(type, 'l'), { ...owners, subscriberList })).toEqual({
        type,
        ...envelope,
        subscription: {
          _id: 'd'.repeat(24),
          name: 'Ada',
          email: 'ada@example.com',
          status: 'active',
          subscriberList: { _id: 'l', name: 'Readers', private: false },
        },
      })
    },
  )

  it('does not exist for the end of a pause', () => {
    const event = aSubscriptionEvent('unpause-subscription', 'l')
    expect(() => webhookEventOf(event, { ...owners, subscriberList })).toThrow('invalid_union')
    expect(WebhookEvent.safeParse({ type: 'unpause-subscription' }).success).toBe(false)
  })
})
