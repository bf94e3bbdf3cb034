import type { MailReport, MailTaken } from '@posthorn/core'
import { isPermanentRefusal, type MailRejected } from '@posthorn/core/ports'
import { z } from 'zod'
import { deliveryIn } from '../mail-tags.js'

const text = z.string()
const seen = z.object({
  userAgent: text.optional(),
  ipAddress: text.optional(),
  link: text.optional(),
  timestamp: z.iso.datetime({ offset: true }).optional().catch(undefined),
})

/** An event of a mail, as far as something follows from it (Amazon SES Developer Guide, "Examples of event data"). */
export const SesEvent = z.object({
  eventType: text,
  mail: z.object({ messageId: text, tags: z.record(text, z.array(text)).default({}) }),
  bounce: z
    .object({
      bounceType: text,
      bounceSubType: text.optional(),
      bouncedRecipients: z.array(z.object({ status: text.optional(), diagnosticCode: text.optional() })).optional(),
    })
    .optional(),
  complaint: z.object({ complaintFeedbackType: text.optional() }).optional(),
  open: seen.optional(),
  click: seen.optional(),
  reject: z.object({ reason: text }).optional(),
  failure: z.object({ errorMessage: text }).optional(),
})
export type SesEvent = z.output<typeof SesEvent>

/** What an event leads to; `passed`: to nothing. */
export type Consequence =
  | { readonly kind: 'report'; readonly report: MailReport }
  | { readonly kind: 'sent'; readonly taken: MailTaken }
  | { readonly kind: 'rejected'; readonly rejected: MailRejected }
  | { readonly kind: 'passed' }

const longestTold = 2_000
/** Amazon SES does not say whether a person or a machine did it. */
const engagement = ({ timestamp, ...value }: z.output<typeof seen> = {}) => ({
  unjudged: true,
  ...(timestamp !== undefined && { at: new Date(timestamp).toISOString() }),
  seen: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, one?.slice(0, longestTold)])),
})

type Reading = (event: SesEvent, deliveryId: string) => Consequence

const report = (of: MailReport): Consequence => ({ kind: 'report', report: of })
const passed: Consequence = { kind: 'passed' }
const rejected = (deliveryId: string, name: string, reason: string): Consequence => ({
  kind: 'rejected',
  rejected: { deliveryId, error: { name, message: reason.slice(0, longestTold) } },
})

type Bounced = NonNullable<SesEvent['bounce']>

const reasonOf = ({ bounceSubType = 'General', bouncedRecipients: [first] = [] }: Bounced) => ({
  name: (first?.status ?? 'Bounced').slice(0, 100),
  message: (first?.diagnosticCode ?? `The mail came back for good: ${bounceSubType}.`).slice(0, longestTold),
})

/** `General` is any 5xx: status and text may say that it is not about the address. The other subtypes are. */
const isPermanent = ({ bounceType, bounceSubType, bouncedRecipients: [first] = [] }: Bounced): boolean =>
  bounceType === 'Permanent' &&
  (bounceSubType !== 'General' ||
    isPermanentRefusal({ status: first?.status, text: first?.diagnosticCode ?? '', judgedPermanent: true }))

const readings: Readonly<Record<string, Reading>> = {
  Send: ({ mail: { messageId } }, deliveryId) => ({
    kind: 'sent',
    taken: { deliveryId, providerMessageId: messageId },
  }),
  // Transient and undetermined ones say nothing for good.
  Bounce: ({ bounce }, deliveryId) =>
    report({
      deliveryId,
      type: 'bounce',
      ...(bounce && isPermanent(bounce) ? { transient: false, reason: reasonOf(bounce) } : { transient: true }),
    }),
  // RFC 6591: "not-spam" takes a complaint back.
  Complaint: ({ complaint }, deliveryId) =>
    complaint?.complaintFeedbackType === 'not-spam' ? passed : report({ deliveryId, type: 'complaint' }),
  Open: ({ open }, deliveryId) => report({ deliveryId, type: 'open', ...engagement(open) }),
  Click: ({ click }, deliveryId) => report({ deliveryId, type: 'click', ...engagement(click) }),
  Reject: ({ reject }, deliveryId) => rejected(deliveryId, 'Reject', reject?.reason ?? 'Amazon SES rejected the mail.'),
  'Rendering Failure': ({ failure }, deliveryId) =>
    rejected(deliveryId, 'RenderingFailure', failure?.errorMessage ?? 'Amazon SES could not render the mail.'),
}

/** What follows from an event; nothing for a mail that bears no delivery's tag, and for types that nothing can be recorded of. */
export const consequenceOf = (event: SesEvent): Consequence => {
  const deliveryId = deliveryIn(event.mail.tags)
  const reading = Object.hasOwn(readings, event.eventType) ? readings[event.eventType] : undefined
  return deliveryId === undefined || !reading ? passed : reading(event, deliveryId)
}
