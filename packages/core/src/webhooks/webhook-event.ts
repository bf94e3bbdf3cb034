import { z } from 'zod'
import type { Account } from '../accounts/account.js'
import { Id, Instant } from '../kernel/shapes.js'
import { subscriberStatuses } from '../lists/subscriber.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import type { Project } from '../projects/project.js'
import { deliveryId, dispatchIdOf } from '../sending/ledger/delivery.js'
import { isMailEvent, type MailEvent, type PosthornEvent, type SubscriptionEvent } from '../tracking/events.js'
import type { WebhookEventType } from './webhook.js'

const envelope = {
  account: z
    .object({
      _id: Id,
      name: z.string().describe('What the account is called'),
      urlFriendlyName: z.string().describe('Its name as a part of a URL'),
    })
    .meta({ id: 'WebhookAccount', description: 'The account of the project' }),
  project: z
    .object({ _id: Id, name: z.string().describe('What the project is called') })
    .meta({ id: 'WebhookProject', description: 'The project in which it happened' }),
  createdAt: Instant.describe('When it happened'),
}

const EmailData = z
  .object({
    _id: Id.describe(
      'Of the campaign, the triggered or the transactional email; of mails without one, the same id in all of the project',
    ),
    dispatchId: Id.describe('Id of the send, as in its response'),
    deliveryId: z.string().describe('Of the mail to that one recipient'),
    sentAt: Instant.optional().describe('Time of sending, or of the last attempt if it failed'),
    to: z.string().describe('The recipient’s address'),
    type: z.enum(['campaign', 'triggered', 'transactional', 'direct', 'test']).describe('What kind of email it is'),
    tags: z.array(z.string()).optional().describe('As given in the send'),
    subject: z
      .string()
      .describe('As rendered for that recipient; as stored, with its merge tags, where no mail could be made'),
  })
  .meta({ id: 'WebhookEmailData', description: 'The mail that the event is about' })

const recipient = {
  userAgent: z.string().optional().describe('As reported by the recipient’s program'),
  referer: z.string().optional().describe('As reported by the recipient’s program'),
  ipAddress: z.string().optional().describe('Address that the request came from'),
}

const Subscription = z
  .object({
    _id: Id.describe('Of the membership'),
    name: z.string().describe('The contact’s name; may be empty'),
    email: z.string().describe('Address of the subscriber'),
    status: z.enum(subscriberStatuses).describe('Afterwards'),
    subscriberList: z
      .object({
        _id: Id,
        name: z.string().describe('What the list is called'),
        private: z.boolean().describe('Whether only those who are on it see it'),
      })
      .describe('The list'),
  })
  .meta({ id: 'WebhookSubscription', description: 'The membership that the event is about' })

const mailKind = <T extends z.ZodType>(type: T) =>
  z.object({ type: type.describe('What happened to the mail'), ...envelope, emailData: EmailData })

/** The posted body (gaps.md, "Webhook"). */
export const WebhookEvent = z
  .discriminatedUnion('type', [
    mailKind(z.enum(['sent', 'complaint'])).meta({
      id: 'WebhookMailEvent',
      description: 'A mail was sent, or was reported as spam',
    }),
    mailKind(z.literal('bounce'))
      .extend({
        reason: z.string().describe('Reply of the server, or what the mail provider reported'),
        status: z
          .string()
          .optional()
          .describe('Enhanced status (RFC 3463), such as `5.1.1`; absent if the server gave none'),
      })
      .meta({ id: 'WebhookBounceEvent', description: 'A mail bounced permanently' }),
    mailKind(z.literal('failed'))
      .extend({
        errors: z
          .array(
            z.object({
              name: z.string().describe('Kind of the error, or the code of the relay'),
              message: z.string().describe('What is known of the error'),
            }),
          )
          .describe('Why it failed'),
      })
      .meta({ id: 'WebhookFailedEvent', description: 'A mail could not be sent' }),
    mailKind(z.literal('open')).extend(recipient).meta({ id: 'WebhookOpenEvent', description: 'A mail was opened' }),
    mailKind(z.literal('click'))
      .extend({
        ...recipient,
        link: z.string().optional().describe('Where it leads'),
        blockPosition: z.string().optional().describe('Position of the link in a visual document'),
        blockName: z.string().optional().describe('The block of a visual document that contains the link'),
      })
      .meta({ id: 'WebhookClickEvent', description: 'A link of a mail was followed' }),
    z
      .object({
        type: z
          .enum(['subscribe', 'unsubscribe', 'resubscribe', 'pause-subscription'])
          .describe('What happened to the subscription'),
        ...envelope,
        subscription: Subscription,
      })
      .meta({ id: 'WebhookSubscriptionEvent', description: 'A subscription began, ended or was paused' }),
  ])
  .meta({ id: 'WebhookEvent', description: 'An event of a mail or subscription of the project' })
export type WebhookEvent = z.output<typeof WebhookEvent>

export type WebhookEventContext = {
  readonly account: Pick<Account, '_id' | 'name' | 'urlFriendlyName'>
  readonly project: Pick<Project, '_id' | 'name'>
  readonly subscriberList?: Pick<SubscriberList, '_id' | 'name' | 'private'> | undefined
}

const noReason = 'The mail bounced. The server gave no reason.'

const ofMail = ({
  mail,
  errors,
  reason,
  status,
  userAgent,
  referer,
  ipAddress,
  link,
  blockPosition,
  blockName,
}: MailEvent) => ({
  emailData: {
    _id: mail.emailId,
    dispatchId: dispatchIdOf(mail.deliveryId),
    deliveryId: mail.deliveryId,
    sentAt: mail.sentAt,
    to: mail.to,
    type: mail.kind,
    tags: mail.tags,
    subject: mail.subject,
  },
  errors: errors ?? [],
  reason: reason ?? noReason,
  ...{ status, userAgent, referer, ipAddress, link, blockPosition, blockName },
})

const ofSubscription = (
  { subscription: { subscriberId, ...subscription } }: SubscriptionEvent,
  subscriberList: WebhookEventContext['subscriberList'],
) => ({ subscription: { _id: subscriberId, ...subscription, subscriberList } })

/** @throws ZodError for a type that webhooks do not receive */
export const webhookEventOf = (
  event: PosthornEvent,
  { account, project, subscriberList }: WebhookEventContext,
): WebhookEvent => {
  const { type, at: createdAt } = event
  const told = isMailEvent(event) ? ofMail(event) : ofSubscription(event, subscriberList)
  return WebhookEvent.parse({ type, account, project, createdAt, ...told })
}

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
  readonly at: string
}

/** A sample with all fields of a real event, for `test-webhook`. */
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

export const sampleEventSubscriberList = (subscriberListId: string): WebhookEventContext['subscriberList'] => ({
  _id: subscriberListId,
  name: 'A list',
  private: false,
})
