import { z } from 'zod'
import { Id, Instant } from '../kernel/shapes.js'
import { webhookEventTypes } from './webhook.js'
import { type WebhookDelivery, webhookDeliveryStates } from './webhook-delivery.js'
import { WebhookEvent } from './webhook-event.js'

/** An event that was sent to the webhook, and its outcome. */
export const WebhookLogView = z
  .object({
    _id: Id.meta({ description: 'The `webhook-id` that it is posted under, and its `id` in a batch' }),
    type: z.enum(webhookEventTypes).meta({ description: 'What happened' }),
    state: z
      .enum(webhookDeliveryStates)
      .meta({ description: 'Whether it waits to be posted, was taken, or is posted no more' }),
    createdAt: Instant.meta({ description: 'When the webhook was to hear of it' }),
    updatedAt: Instant.meta({ description: 'When something last became of it' }),
    nextAt: Instant.optional().meta({ description: 'While it waits: not posted before' }),
    reason: z.string().optional().meta({ description: 'Why it was given up' }),
    attempts: z
      .array(
        z.object({
          at: Instant.meta({ description: 'When it was posted' }),
          status: z.int().optional().meta({ description: 'What the receiver answered' }),
          reason: z.string().optional().meta({ description: 'Why there was no answer' }),
        }),
      )
      .meta({ description: 'How often it was posted, the newest last; the last nine' }),
  })
  .meta({ id: 'WebhookLogEntry', description: 'An event that was told to the webhook, and what became of it' })
export type WebhookLogEntry = z.output<typeof WebhookLogView>

/** The log entry with the posted body. */
export const WebhookLoggedEventView = WebhookLogView.extend({ event: WebhookEvent }).meta({
  id: 'WebhookLoggedEvent',
  description: 'An event of the log, as it is posted',
})
export type WebhookLoggedEvent = z.output<typeof WebhookLoggedEventView>

const shown = ({ nextAt, log: attempts, ...delivery }: WebhookDelivery) => ({
  ...delivery,
  ...(delivery.state === 'pending' && { nextAt }),
  attempts,
})

export const logEntry = (delivery: WebhookDelivery): WebhookLogEntry => WebhookLogView.parse(shown(delivery))

export const loggedEvent = (delivery: WebhookDelivery): WebhookLoggedEvent =>
  WebhookLoggedEventView.parse({ ...shown(delivery), event: JSON.parse(delivery.body) })
