import type { DeliveryEvent, ProviderAcceptedMail } from '@posthorn/core'
import { isPermanentRefusal, type ProviderDroppedMailReport } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { deliveryIdInTags } from '../http/send-request.js'

const text = z.string()
/** Amazon omits a field without a value, or sends `null`. */
const optional = <T extends z.ZodType>(shape: T) => shape.nullish().transform((value) => value ?? undefined)

const seen = z.object({
  userAgent: optional(text),
  ipAddress: optional(text),
  link: optional(text),
  timestamp: z.iso.datetime({ offset: true }).optional().catch(undefined),
})

/** Amazon SES Developer Guide, "Examples of event data". Configuration sets send `eventType`, identities' feedback `notificationType`. */
export const SesEvent = z
  .object({
    eventType: optional(text),
    notificationType: optional(text),
    mail: z.object({
      messageId: text,
      tags: optional(
        z.record(
          text,
          z
            .array(text)
            .nullish()
            .transform((values) => values ?? []),
        ),
      ),
    }),
    bounce: optional(
      z.object({
        bounceType: optional(text),
        bounceSubType: optional(text),
        bouncedRecipients: optional(z.array(z.object({ status: optional(text), diagnosticCode: optional(text) }))),
      }),
    ),
    complaint: optional(z.object({ complaintFeedbackType: optional(text) })),
    open: optional(seen),
    click: optional(seen),
    reject: optional(z.object({ reason: optional(text) })),
    failure: optional(z.object({ errorMessage: optional(text) })),
  })
  .transform(({ eventType, notificationType, ...event }, context) => {
    const type = eventType ?? notificationType
    if (type !== undefined) return { ...event, type }
    context.addIssue({
      code: 'custom',
      path: ['eventType'],
      message: 'neither eventType nor notificationType is there',
    })
    return z.NEVER
  })
export type SesEvent = z.output<typeof SesEvent>

/** Amazon publishes these once to a new topic; they are not events. */
const greetings = ['Successfully validated SNS topic', '"AmazonSnsSubscriptionSucceeded"']

export type ParsedSesEvent =
  | { readonly kind: 'event'; readonly event: SesEvent }
  | { readonly kind: 'greeting' }
  | { readonly kind: 'unread'; readonly reason: string }

const parsedJson = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Parses an event, or returns the reason why it failed, without values. */
export const parseSesEvent = (json: string): ParsedSesEvent => {
  const { data, error } = SesEvent.safeParse(parsedJson(json))
  if (data) return { kind: 'event', event: data }
  if (greetings.some((greeting) => json.slice(0, 200).includes(greeting))) return { kind: 'greeting' }
  const reason = error.issues.map(({ path, message }) => `${path.join('.') || 'the text'}: ${message}`).join('; ')
  return { kind: 'unread', reason: reason.slice(0, 500) }
}

export type SesEventConsequence =
  | { readonly kind: 'report'; readonly report: DeliveryEvent }
  | { readonly kind: 'sent'; readonly taken: ProviderAcceptedMail }
  | { readonly kind: 'rejected'; readonly rejected: ProviderDroppedMailReport }
  | { readonly kind: 'passed' }

const longestTold = 2_000
/** Amazon SES does not say whether a person or a machine opened or clicked. */
const engagement = ({ timestamp, ...value }: Partial<z.output<typeof seen>> = {}) => ({
  unjudged: true,
  ...(timestamp !== undefined && { at: new Date(timestamp).toISOString() }),
  seen: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, one?.slice(0, longestTold)])),
})

type Reading = (event: SesEvent, deliveryId: string) => SesEventConsequence

const report = (of: DeliveryEvent): SesEventConsequence => ({ kind: 'report', report: of })
const passed: SesEventConsequence = { kind: 'passed' }
const rejected = (deliveryId: string, name: string, reason: string): SesEventConsequence => ({
  kind: 'rejected',
  rejected: { deliveryId, error: { name, message: reason.slice(0, longestTold) } },
})

type Bounced = NonNullable<SesEvent['bounce']>

const reasonOf = ({ bounceSubType = 'General', bouncedRecipients: [first] = [] }: Bounced) => ({
  name: (first?.status ?? 'Bounced').slice(0, 100),
  message: (first?.diagnosticCode ?? `Permanent bounce: ${bounceSubType}.`).slice(0, longestTold),
})

/** Status and text decide about `General`, which SES reports for any 5xx; other permanent subtypes concern the address. */
const isPermanent = ({ bounceType, bounceSubType, bouncedRecipients: [first] = [] }: Bounced): boolean =>
  bounceType === 'Permanent' &&
  (bounceSubType !== 'General' ||
    isPermanentRefusal({ status: first?.status, text: first?.diagnosticCode ?? '', judgedPermanent: true }))

const readings: Readonly<Record<string, Reading>> = {
  Send: ({ mail: { messageId } }, deliveryId) => ({
    kind: 'sent',
    taken: { deliveryId, providerMessageId: messageId },
  }),
  Bounce: ({ bounce }, deliveryId) =>
    report({
      deliveryId,
      type: 'bounce',
      ...(bounce && isPermanent(bounce) ? { transient: false, reason: reasonOf(bounce) } : { transient: true }),
    }),
  // RFC 6591: "not-spam" withdraws a complaint.
  Complaint: ({ complaint }, deliveryId) =>
    complaint?.complaintFeedbackType === 'not-spam' ? passed : report({ deliveryId, type: 'complaint' }),
  Open: ({ open }, deliveryId) => report({ deliveryId, type: 'open', ...engagement(open) }),
  Click: ({ click }, deliveryId) => report({ deliveryId, type: 'click', ...engagement(click) }),
  Reject: ({ reject }, deliveryId) => rejected(deliveryId, 'Reject', reject?.reason ?? 'Amazon SES rejected the mail.'),
  'Rendering Failure': ({ failure }, deliveryId) =>
    rejected(deliveryId, 'RenderingFailure', failure?.errorMessage ?? 'Amazon SES could not render the mail.'),
}

export const sesEventConsequence = (event: SesEvent): SesEventConsequence => {
  const deliveryId = deliveryIdInTags(event.mail.tags ?? {})
  const reading = Object.hasOwn(readings, event.type) ? readings[event.type] : undefined
  return deliveryId === undefined || !reading ? passed : reading(event, deliveryId)
}
