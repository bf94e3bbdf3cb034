import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import { ListQueryFields } from '../kernel/listing.js'
import { Id, Instant } from '../kernel/shapes.js'
import { EmailRecipient, RecipientStatus, recipientView } from '../reporting/recipients.js'
import { type Delivery, exclusionReasons, type MailHappening, mostHappeningsKept } from '../sending/ledger/delivery.js'
import { type Dispatch, dispatchKinds } from '../sending/ledger/dispatch.js'
import type { EmailClickedLinks } from '../tracking/clicked-links.js'
import { webhookEventTypes } from '../webhooks/webhook.js'
import { type WebhookDelivery, webhookDeliveryStates } from '../webhooks/webhook-delivery.js'

const typeOfMark = {
  opens: 'open',
  clicks: 'click',
  bounced: 'bounce',
  complained: 'complaint',
  subscribed: 'subscribe',
  resubscribed: 'resubscribe',
  unsubscribed: 'unsubscribe',
  paused: 'pause',
} as const satisfies Record<MailHappening['what'], string>

const outcomeTypes = ['accepted', 'excluded', 'put-off', 'uncertain', 'sent', 'failed'] as const

const Reply = z
  .object({
    name: z.string().describe('Kind of the error, or the code of the reply'),
    message: z.string().describe('Text of the reply or error'),
  })
  .meta({ id: 'MailReply' })

export const MailHistoryEvent = z
  .object({
    type: z
      .enum([...outcomeTypes, ...Object.values(typeOfMark)])
      .describe(
        'accepted: by this server; put-off: it is tried again; uncertain: no reply was recorded, as the connection broke or the process ended; sent: the provider accepted it; excluded: it is not sent; all others: what happened to the sent mail',
      ),
    at: Instant.describe('When'),
    attempts: z.int().optional().describe('Number of attempts so far; for put-off, uncertain, sent, failed'),
    until: Instant.optional().describe('For put-off and uncertain: earliest time of the next attempt'),
    reply: Reply.optional().describe('Why it was put off, failed or bounced'),
    reason: z.enum(exclusionReasons).optional().describe('For excluded: why'),
    by: z.enum(['person', 'machine']).optional().describe('For open and click: who, as far as it is known'),
    link: z.string().optional().describe('For click: the link as it is written in the email, if known'),
  })
  .meta({ id: 'MailHistoryEvent' })
export type MailHistoryEvent = z.output<typeof MailHistoryEvent>

export const mostShownWebhookPosts = 200

const WebhookPosts = z
  .object({
    _id: Id.describe('Id of the entry in the log of the webhook'),
    webhookId: Id.describe('Id of the webhook'),
    type: z.enum(webhookEventTypes).describe('What was posted'),
    state: z.enum(webhookDeliveryStates).describe('Whether it is pending, delivered or given up'),
    createdAt: Instant.describe('When the event was queued'),
    attempts: z.int().describe('Number of attempts since it was queued, or queued again'),
    lastAttempt: z
      .object({
        at: Instant.describe('When it was posted'),
        status: z.int().optional().describe('What the receiver answered'),
        reason: z.string().optional().describe('Why there was no answer'),
      })
      .optional()
      .describe('The latest attempt; absent before the first'),
    deliveredAt: Instant.optional().describe('When the receiver took it'),
    reason: z.string().optional().describe('Why it was given up'),
  })
  .meta({ id: 'MailWebhookPosts' })

export const MailHistory = EmailRecipient.extend({
  kind: z.enum(dispatchKinds).describe('What kind of email it is'),
  emailId: Id.describe('Id of the campaign, the triggered or the transactional email'),
  name: z.string().describe('Name of that email; empty if it was deleted'),
  subject: z.string().describe('Subject of this mail, if it differs from the email’s; else the email’s'),
  contactId: Id.optional().describe('Id of the contact; absent for a mail to an address'),
  providerMessageId: z
    .string()
    .optional()
    .describe('From the provider’s reply to the accepted mail: its queue id or message id'),
  events: z
    .array(MailHistoryEvent)
    .describe(`Oldest first. Of opens, clicks and the like, the latest ${mostHappeningsKept} are kept`),
  webhooks: z
    .array(WebhookPosts)
    .describe(`Events about this mail for webhooks, the newest first; at most ${mostShownWebhookPosts} in a response`),
}).meta({ id: 'MailHistory', description: 'A mail to one recipient, and what happened to it' })
export type MailHistory = z.output<typeof MailHistory>

/** What is older was removed by the retention. */
export const KeptSince = z
  .object({
    mails: Instant.nullable().describe('Of mails that ended before, nothing is left; null: all are kept'),
    webhookEvents: Instant.describe('Events for webhooks that were queued before are removed'),
  })
  .meta({ id: 'KeptSince', description: 'From when on the history is complete' })
export type KeptSince = z.output<typeof KeptSince>

export const KeptMailHistory = MailHistory.extend({ keptSince: KeptSince }).meta({ id: 'KeptMailHistory' })
export type KeptMailHistory = z.output<typeof KeptMailHistory>

export const mailHistoryFilters = {
  status: RecipientStatus,
  dispatchId: z.string(),
  kind: z.enum(dispatchKinds),
}

export const MailHistoryQuery = ListQueryFields.pick({ skip: true, limit: true, filter: true }).extend({
  email: EmailAddress.describe('Recipient of the mails, in any spelling of upper and lower case'),
})
export type MailHistoryQuery = z.output<typeof MailHistoryQuery>

/** What a mail's history shows besides its delivery. */
type MailHistoryContext = {
  readonly dispatch: Pick<Dispatch, 'kind' | 'emailId' | 'own'>
  readonly email?: { readonly name: string; readonly subject: string } | undefined
  readonly links?: Pick<EmailClickedLinks, 'links'> | undefined
  readonly posts?: readonly WebhookDelivery[] | undefined
}

const outcomeOf = (delivery: Delivery): readonly MailHistoryEvent[] => {
  const { status, reason, attempts, error: reply, updatedAt: at, notBefore: until, sentAt } = delivery
  if (status === 'excluded') return [{ type: 'excluded', at, reason: reason ?? 'stopped' }]
  if (status === 'uncertain') return [{ type: 'uncertain', at, attempts, until }]
  if (status === 'failed') return [{ type: 'failed', at, attempts, ...(reply && { reply }) }]
  if (status === 'sent') return [{ type: 'sent', at: sentAt ?? at, attempts }]
  return reply ? [{ type: 'put-off', at, attempts, until, reply }] : []
}

const eventOf = (
  { what, at, by, link }: MailHappening,
  { returned, error }: Delivery,
  links: MailHistoryContext['links'],
): MailHistoryEvent => {
  const type = typeOfMark[what]
  const reply = type === 'bounce' ? (returned ?? error) : undefined
  const target = link === undefined ? undefined : links?.links[link]?.link
  return {
    type,
    at,
    ...((type === 'open' || type === 'click') && { by: by ?? 'person' }),
    ...(target !== undefined && { link: target }),
    ...(reply && { reply }),
  }
}

const byTime = (a: MailHistoryEvent, b: MailHistoryEvent) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)

const postsView = (delivery: WebhookDelivery): z.output<typeof WebhookPosts> => {
  const lastAttempt = delivery.log.at(-1)
  return WebhookPosts.parse({
    ...delivery,
    ...(lastAttempt && { lastAttempt }),
    ...(delivery.state === 'delivered' && { deliveredAt: lastAttempt?.at }),
  })
}

export const mailHistoryView = (
  delivery: Delivery,
  { dispatch, email, links, posts = [] }: MailHistoryContext,
): MailHistory => {
  const { contactId, createdAt, providerMessageId, subject, happened = [] } = delivery
  const accepted: MailHistoryEvent = { type: 'accepted', at: createdAt }
  const events = [...outcomeOf(delivery), ...happened.map((one) => eventOf(one, delivery, links))]
  return {
    ...recipientView(delivery),
    kind: dispatch.kind,
    emailId: dispatch.emailId,
    name: email?.name ?? '',
    subject: subject ?? dispatch.own?.email.subject ?? email?.subject ?? '',
    ...(contactId !== undefined && { contactId }),
    ...(providerMessageId !== undefined && { providerMessageId }),
    events: [accepted, ...events.sort(byTime)],
    webhooks: posts.map(postsView),
  }
}
