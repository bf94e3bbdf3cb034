import { WebhookEvent } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'

const Headers = z.object({
  'webhook-id': z
    .string()
    .meta({ description: 'The same whenever the same event, or the same events together, are posted again' }),
  'webhook-timestamp': z.string().meta({ description: 'When it was posted, in seconds since 1970' }),
  'webhook-signature': z.string().meta({
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes of a `whsec_` secretKey, or with the text of an API key',
  }),
})

const id = z.string().meta({ description: 'What `webhook-id` is for an event that is posted alone' })

/** A union of objects, not an intersection: some client generators cannot read an `allOf` of a `oneOf`. */
const BatchedEvent = z.union(
  WebhookEvent.options.map((event) =>
    event.extend({ id }).meta({ id: `${event.meta()?.id}InBatch`, description: event.meta()?.description ?? '' }),
  ),
)

const Batch = z
  .object({
    events: z
      .array(BatchedEvent)
      .min(1)
      .max(100)
      .meta({ description: 'Each with its `id`: one that you have seen is the same event' }),
  })
  .meta({ id: 'WebhookBatch', description: 'Several events, where the webhook asks for `batches`' })

/** The requests that the server posts to a project's webhook, as OpenAPI webhooks. */
export const webhooks: ZodOpenApiPathsObject = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'Something happened to a mail or to a subscription: posted to the webhook of the project',
      tags: ['Webhook'],
      description:
        'What the server asks of your webhook, in the manner of Standard Webhooks: check the signature, answer any 2xx, and do the work later.',
      security: [{ apiKey: [] }],
      requestParams: { header: Headers },
      requestBody: { required: true, content: { 'application/json': { schema: z.union([WebhookEvent, Batch]) } } },
      responses: { '2XX': { description: 'The event was taken; after any other answer it is posted again' } },
    },
  },
}
