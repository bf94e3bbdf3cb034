import { z } from 'zod'
import { changesSchemaOf } from '../kernel/merged.js'
import { Id, Instant } from '../kernel/shapes.js'
import {
  shownWebhookUrlSchema,
  webhookBatchesSchema,
  webhookEventTypes,
  webhookHealthFields,
  webhookSecretKeySchema,
  webhookUrl,
} from './webhook.js'

const description = z.string().max(500).describe('What the endpoint is for, at most 500 characters; for people only')

const types = z.array(z.enum(webhookEventTypes)).min(1, 'expected at least one type of event')

const enabled = z.boolean().default(true).describe('Whether events are posted')

/** An additional webhook; a project may have several (gaps.md, "Webhook"). */
export const WebhookEndpointFields = z
  .strictObject({
    url: webhookUrl,
    secretKey: webhookSecretKeySchema
      .optional()
      .describe(
        'Signs the posts: `whsec_` and the base64 of 24 bytes or more, which is never sent; or an API key of the project with the scope `webhook` or `full`, which is also sent as bearer. Absent, or null in a change: a `whsec_` secret is generated',
      ),
    description: description.default(''),
    types: types.default([...webhookEventTypes]).describe('Types of the events to post; absent: all of them'),
    batches: webhookBatchesSchema,
    enabled,
  })
  .meta({ id: 'WebhookEndpointFields' })
export type WebhookEndpointFields = z.input<typeof WebhookEndpointFields>

export const WebhookEndpointChanges = changesSchemaOf(WebhookEndpointFields).meta({ id: 'WebhookEndpointChanges' })
export type WebhookEndpointChanges = z.input<typeof WebhookEndpointChanges>

export const WebhookEndpointView = z
  .object({
    _id: Id.describe('Of the webhook; the id of the one at `…/webhook` is the project’s'),
    url: shownWebhookUrlSchema,
    secretKey: z
      .string()
      .optional()
      .describe('Only in the response to the request that generated or set it: it is not shown again'),
    description,
    types: z.array(z.enum(webhookEventTypes)).describe('Types of the events that are posted'),
    batches: webhookBatchesSchema,
    enabled: z.boolean().describe('Whether events are posted; if not, `disabled` says why'),
    ...webhookHealthFields,
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'WebhookEndpoint', description: 'An address that events of the project are posted to' })
export type WebhookEndpointView = z.output<typeof WebhookEndpointView>
