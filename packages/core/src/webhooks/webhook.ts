import { z } from 'zod'
import { isUrl } from '../kernel/is-url.js'
import { type InProject, Instant, WebUrl } from '../kernel/shapes.js'
import type { EventType } from '../tracking/events.js'

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== ''

const url = WebUrl.max(2000)
  .refine((text) => !isUrl(text) || !hasCredentials(new URL(text)), 'must not carry a user name or password')
  .meta({ description: 'Where events are posted to' })

const secretKey = z.string().max(1000).meta({
  description:
    'A secret of the webhook’s own, `whsec_` and the base64 of 24 bytes or more, which signs and is never sent; or an API key of the project with the scope `webhook` or `full`: sent as bearer, and the key of the signature',
})

const off = (description: string) => z.boolean().default(false).meta({ description })

/** Spec, "Events". */
const switches = {
  bounce: off('Post bounces'),
  complaint: off('Post complaints'),
  click: off('Post clicks'),
  open: off('Post opens'),
  sent: off('Post mails that were sent'),
  failed: off('Post mails that failed'),
  subscription: off('Post what people do to their subscriptions'),
}
export type WebhookSwitch = keyof typeof switches

const batches = z.boolean().default(false).meta({
  description:
    'Post events together, up to 100 in one `{ "events": [...] }`, each with its `id`, instead of one by one',
})

/** Replaces the whole configuration (spec, "Webhook configuration"). */
export const WebhookFields = z.strictObject({ url, secretKey, ...switches, batches }).meta({ id: 'WebhookFields' })
export type WebhookFields = z.input<typeof WebhookFields>

/** Has `secretKey`, because the spec does not list it among the fields that are never returned. */
export const WebhookView = z
  .object({
    ...WebhookFields.shape,
    url: WebUrl.meta({
      description:
        'Where events are posted to; without path and query for a key that does not get the `secretKey`, as these often hold a secret of the receiver',
    }),
    secretKey: secretKey.optional().meta({
      description: 'Absent for keys that may not read it: those with the scope `read`, and other keys with `webhook`',
    }),
    disabled: z
      .object({
        reason: z.string().meta({ description: 'What switched it off' }),
        since: Instant.meta({ description: 'When' }),
      })
      .optional()
      .meta({
        description:
          'Present while nothing is posted: the key that is its secret was revoked, or no post was taken for three days',
      }),
    failing: z
      .object({
        since: Instant.meta({ description: 'When the first post failed' }),
        reason: z.string().meta({ description: 'Why the last was not' }),
      })
      .optional()
      .meta({ description: 'Present while all posts fail' }),
  })
  .meta({ id: 'Webhook', description: 'The URL for the project’s events, and the events to post' })
export type WebhookView = z.output<typeof WebhookView>

/** One per project. `secretKey` is sealed. */
export type Webhook = InProject &
  z.output<typeof WebhookFields> & {
    /** While posts fail: first failure, last record, last reason. */
    readonly failing?: { readonly since: string; readonly last: string; readonly reason: string }
    /** Nothing is posted until it is configured again or switched on. */
    readonly switchedOff?: { readonly reason: string; readonly since: string }
  }

const switchOfType = {
  sent: 'sent',
  failed: 'failed',
  open: 'open',
  click: 'click',
  bounce: 'bounce',
  complaint: 'complaint',
  subscribe: 'subscription',
  unsubscribe: 'subscription',
  resubscribe: 'subscription',
  'pause-subscription': 'subscription',
} as const satisfies Partial<Record<EventType, WebhookSwitch>>

/** All except the end of a pause (gaps.md, "Webhook"). */
export type WebhookEventType = keyof typeof switchOfType

/** In the order of gaps.md. */
export const webhookEventTypes = Object.keys(switchOfType) as [WebhookEventType, ...WebhookEventType[]]

export const wants = (webhook: Pick<Webhook, WebhookSwitch> | undefined, type: EventType): boolean =>
  isWebhookEventType(type) && webhook?.[switchOfType[type]] === true

export const isWebhookEventType = (type: EventType): type is WebhookEventType => Object.hasOwn(switchOfType, type)
