import { z } from 'zod'
import type { Account } from '../accounts/account.js'
import { isMailEvent, type MailEvent, type PosthornEvent, type SubscriptionEvent } from '../events/event.js'
import { Id, Instant } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { subscriberStatuses } from '../subscriptions/subscriber.js'
import type { SubscriberList } from '../subscriptions/subscriber-list.js'

/** What every event says of itself. */
const envelope = {
  account: z.object({ _id: Id, name: z.string(), urlFriendlyName: z.string() }),
  project: z.object({ _id: Id, name: z.string() }),
  createdAt: Instant.meta({ description: 'When it happened' }),
}

const EmailData = z
  .object({
    _id: Id.meta({ description: 'Of the campaign, the triggered or the transactional email' }),
    sentAt: Instant.optional().meta({ description: 'Absent for a mail that never left' }),
    to: z.string().meta({ description: 'The recipient’s address' }),
    type: z.enum(['campaign', 'triggered', 'transactional', 'test']),
    subject: z.string().meta({ description: 'As stored, with its merge tags' }),
  })
  .meta({ id: 'WebhookEmailData', description: 'The mail that the event is about' })

const recipient = {
  userAgent: z.string().optional().meta({ description: 'As the recipient’s program tells it' }),
  referer: z.string().optional().meta({ description: 'As the recipient’s program tells it' }),
  ipAddress: z.string().optional(),
}

const Subscription = z
  .object({
    _id: Id.meta({ description: 'Of the membership' }),
    name: z.string().meta({ description: 'The contact’s name; may be empty' }),
    email: z.string(),
    status: z.enum(subscriberStatuses).meta({ description: 'Afterwards' }),
    subscriberList: z.object({ _id: Id, name: z.string(), private: z.boolean() }),
  })
  .meta({ id: 'WebhookSubscription', description: 'The membership that the event is about' })

const mailKind = <T extends z.ZodType>(type: T) => z.object({ type, ...envelope, emailData: EmailData })

/** The body that is posted to a webhook, told apart by `type` (gaps.md, "Webhook"). */
export const WebhookEvent = z
  .discriminatedUnion('type', [
    mailKind(z.enum(['sent', 'bounce', 'complaint'])),
    mailKind(z.literal('failed')).extend({
      errors: z.array(z.object({ name: z.string(), message: z.string() })).meta({ description: 'Why it failed' }),
    }),
    mailKind(z.literal('open')).extend(recipient),
    mailKind(z.literal('click')).extend({
      ...recipient,
      link: z.string().optional().meta({ description: 'Where it leads' }),
      blockPosition: z.string().optional().meta({ description: 'Where in a visual document the link stands' }),
      blockName: z.string().optional().meta({ description: 'The block of a visual document that the link stands in' }),
    }),
    z.object({
      type: z.enum(['subscribe', 'unsubscribe', 'resubscribe', 'pause-subscription']),
      ...envelope,
      subscription: Subscription,
    }),
  ])
  .meta({ id: 'WebhookEvent', description: 'Something that happened to a mail or to a subscription of the project' })
export type WebhookEvent = z.output<typeof WebhookEvent>

/** Whose event it is, as far as the event does not say it. */
export type EventSetting = {
  readonly account: Pick<Account, '_id' | 'name' | 'urlFriendlyName'>
  readonly project: Pick<Project, '_id' | 'name'>
  /** Of a subscription event: the list. */
  readonly subscriberList?: Pick<SubscriberList, '_id' | 'name' | 'private'> | undefined
}

const ofMail = ({ mail, errors, userAgent, referer, ipAddress, link, blockPosition, blockName }: MailEvent) => ({
  emailData: { _id: mail.emailId, sentAt: mail.sentAt, to: mail.to, type: mail.kind, subject: mail.subject },
  errors: errors ?? [],
  ...{ userAgent, referer, ipAddress, link, blockPosition, blockName },
})

const ofSubscription = (
  { subscription: { subscriberId, ...subscription } }: SubscriptionEvent,
  subscriberList: EventSetting['subscriberList'],
) => ({ subscription: { _id: subscriberId, ...subscription, subscriberList } })

/** What a webhook is told of an event. @throws ZodError for one that a webhook does not hear of */
export const webhookEventOf = (
  event: PosthornEvent,
  { account, project, subscriberList }: EventSetting,
): WebhookEvent => {
  const { type, at: createdAt } = event
  const told = isMailEvent(event) ? ofMail(event) : ofSubscription(event, subscriberList)
  return WebhookEvent.parse({ type, account, project, createdAt, ...told })
}
