import { z } from 'zod'
import { isUrl } from '../kernel/is-url.js'
import { type InProject, Instant, WebUrl } from '../kernel/shapes.js'
import type { EventType } from '../tracking/events.js'

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== ''

export const webhookUrl = WebUrl.max(2000)
  .refine((text) => !isUrl(text) || !hasCredentials(new URL(text)), 'must not carry a user name or password')
  .describe('Where events are posted to')

export const webhookSecretKeySchema = z
  .string()
  .max(1000)
  .describe(
    'A secret of the webhook’s own, `whsec_` and the base64 of 24 bytes or more, which signs and is never sent; or an API key of the project with the scope `webhook` or `full`: sent as bearer, and the key of the signature',
  )

const off = (description: string) => z.boolean().default(false).describe(description)

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
type WebhookSwitch = keyof typeof switches

export const webhookBatchesSchema = z
  .boolean()
  .default(false)
  .describe('Post events together, up to 100 in one `{ "events": [...] }`, each with its `id`, instead of one by one')

/** Replaces the whole configuration (spec, "Webhook configuration"). */
export const WebhookFields = z
  .strictObject({ url: webhookUrl, secretKey: webhookSecretKeySchema, ...switches, batches: webhookBatchesSchema })
  .meta({ id: 'WebhookFields' })
export type WebhookFields = z.input<typeof WebhookFields>

export const webhookHealthFields = {
  disabled: z
    .object({
      reason: z.string().describe('What switched it off'),
      since: Instant.describe('When'),
    })
    .optional()
    .describe(
      'Present while nothing is posted: the key that is its secret was revoked, no post was taken for three days, or a request switched it off',
    ),
  failing: z
    .object({
      since: Instant.describe('When the first post failed'),
      reason: z.string().describe('Why the last was not'),
    })
    .optional()
    .describe('Present while all posts fail'),
}

export const shownWebhookUrlSchema = WebUrl.describe(
  'Where events are posted to; without path and query for a key that may not read the secret, as these often hold a secret of the receiver',
)

/** Has `secretKey`: the spec does not list it among the fields that are never returned. */
export const WebhookView = z
  .object({
    ...WebhookFields.shape,
    url: shownWebhookUrlSchema,
    secretKey: webhookSecretKeySchema
      .optional()
      .describe('Absent for keys that may not read it: those with the scope `read`, and other keys with `webhook`'),
    ...webhookHealthFields,
  })
  .meta({ id: 'Webhook', description: 'The URL for the project’s events, and the events to post' })
export type WebhookView = z.output<typeof WebhookView>

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

export const isWebhookEventType = (type: EventType): type is WebhookEventType => Object.hasOwn(switchOfType, type)

/** `secretKey` is sealed. The specification's webhook, one per project, has the project's `_id`. */
export type Webhook = InProject & {
  readonly url: string
  readonly secretKey: string
  readonly description: string
  readonly types: readonly WebhookEventType[]
  readonly batches: boolean
  /** While posts fail: first failure, last record, last reason. */
  readonly failing?: { readonly since: string; readonly last: string; readonly reason: string }
  /** Nothing is posted until it is configured again or switched on. */
  readonly switchedOff?: { readonly reason: string; readonly since: string }
}

export const wantsEventType = (webhook: Pick<Webhook, 'types'>, type: EventType): boolean =>
  isWebhookEventType(type) && webhook.types.includes(type)

export const eventTypesOfSwitches = (
  switched: Readonly<Partial<Record<WebhookSwitch, boolean>>>,
): readonly WebhookEventType[] => webhookEventTypes.filter((type) => switched[switchOfType[type]])

/** `subscription` is on if any of its types is. */
export const switchesOfEventTypes = ({ types }: Pick<Webhook, 'types'>): Readonly<Record<WebhookSwitch, boolean>> => {
  const on = new Set<WebhookSwitch>(types.map((type) => switchOfType[type]))
  const names = Object.keys(switches) as WebhookSwitch[]
  return Object.fromEntries(names.map((name) => [name, on.has(name)])) as Record<WebhookSwitch, boolean>
}
