import { z } from 'zod'
import { creditCounterKey } from '../accounts/account.js'
import type { Template } from '../emails/templates.js'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { CooperativeQueue } from '../kernel/cooperative-queue.js'
import { addressKey, EmailAddress, normalisedAddress, uniqueAddresses } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import { parsedBy, type ValidParts } from '../kernel/parsed.js'
import type { Files, Runtime, Secrets } from '../kernel/ports.js'
import { blocked, invalid, notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { headerTextSchema, Id, Instant, stamps } from '../kernel/shapes.js'
import { type Violation, wrongFieldViolation } from '../kernel/violation.js'
import { zonedInstantOf } from '../kernel/zoned-time.js'
import type { EmailContent, EmailRecord } from '../mail/content.js'
import { MailHeaders } from '../mail/headers.js'
import type { EmailTemplateChecks } from '../mail/plain-text.js'
import { TrackingFields } from '../projects/tracking-choice.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import {
  type AttachmentLimits,
  assertAttachmentLimits,
  DirectMailAttachments,
  removeStoredAttachments,
} from '../sending/acceptance/attachments.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import {
  type Delivery,
  type DeliveryStatus,
  deliveryId,
  deliveryStatuses,
  type ExclusionReason,
  exclusionReasons,
  isFinal,
} from '../sending/ledger/delivery.js'
import {
  type DirectAudience,
  type Dispatch,
  directAudienceAddresses,
  directEmailId,
  isDirectAudience,
  mostDirectRecipients,
} from '../sending/ledger/dispatch.js'
import { assertNotSuppressed, type Suppression } from '../suppressions/suppression.js'
import { MergeData, Success, successAnswer } from './sends.js'

/** In characters, of html and text each: as long as a template may be. */
const longestContent = 1_000_000
const [mostTags, longestTag] = [10, 50]

export const SendTag = headerTextSchema(longestTag).min(1).describe('A short text, such as `receipt`')

export const SendTags = z
  .array(SendTag)
  .max(mostTags)
  .transform((tags) => [...new Set(tags)])
  .describe('Texts by which webhooks and lists of deliveries name the mail')

/** gaps.md, "Sends without a stored email". */
export const DirectSend = z
  .strictObject({
    to: z
      .union([EmailAddress, z.array(EmailAddress).min(1).max(mostDirectRecipients)])
      .describe(`An address, or up to ${mostDirectRecipients}; each gets a mail of its own`),
    subject: headerTextSchema(998)
      .optional()
      .describe('Subject, a template; with `template`, in place of the stored subject'),
    html: z.string().max(longestContent).optional().describe('HTML, a template'),
    text: z.string().max(longestContent).optional().describe('Plain text, a template; absent: made from the HTML'),
    template: z
      .string()
      .optional()
      .describe('Id of a template or transactional email, whose content is sent instead of html and text'),
    raw: z
      .boolean()
      .optional()
      .describe(
        'Subject, html and text are no templates: `{{` is sent as it is, and nothing is tracked unless `tracking` says so',
      ),
    data: MergeData,
    from: z
      .string()
      .optional()
      .describe('Id or address of a sender identity; absent: the template’s, else the project’s first'),
    replyTo: EmailAddress.optional().describe('Reply-To address'),
    attachments: DirectMailAttachments.optional(),
    headers: MailHeaders.optional(),
    tags: SendTags.optional(),
    tracking: TrackingFields.optional(),
    sendAt: z
      .string()
      .refine((text) => zonedInstantOf(text, 'UTC') !== undefined, 'expected an ISO 8601 date and time')
      .optional()
      .meta({
        description: 'When to send, in UTC without an offset: in the future, at most 30 days ahead; absent: at once',
        example: '2026-12-24T18:00:00Z',
      }),
  })
  .meta({ id: 'DirectSend' })
export type DirectSend = z.input<typeof DirectSend>

type DirectDispatch = Pick<Dispatch, '_id' | 'sendAt'> & { readonly audience: DirectAudience }

type Read = z.output<typeof DirectSend>

/** What was decided about one recipient. */
export const DirectDelivery = z
  .object({
    email: z.string().describe('The address'),
    deliveryId: z.string().describe('Of the mail, as in webhooks and lists of deliveries'),
    accepted: z.boolean().describe('Whether the mail is queued durably'),
    reason: z.enum(exclusionReasons).optional().describe('Why the address gets nothing'),
  })
  .meta({ id: 'DirectDelivery' })

export const DirectSendAnswer = Success.extend({
  dispatchId: Id.describe('Of this sending'),
  sendAt: Instant.optional().describe('When the mails are due, if they were scheduled'),
  deliveries: z.array(DirectDelivery).max(mostDirectRecipients).describe('One per address, in order'),
}).meta({ id: 'DirectSendAnswer' })
/** The ids of a send, and what became of each address. */
export type DirectSendAnswer = z.output<typeof DirectSendAnswer>

/** What became of the mails of a send. */
export const CancelAnswer = Success.extend({
  dispatchId: Id.describe('Of the sending'),
  cancelled: z.int().describe('Number of mails that are not sent; their credit is returned'),
  deliveries: z
    .array(
      z.object({
        email: z.string().describe('The address'),
        deliveryId: z.string().describe('Of the mail'),
        cancelled: z.boolean().describe('False: it was sent, is being sent, or could not be sent'),
      }),
    )
    .max(mostDirectRecipients)
    .describe('One per address, in order'),
}).meta({ id: 'CancelAnswer' })
export type CancelAnswer = z.output<typeof CancelAnswer>

type Deps = Pick<Runtime, 'newId' | 'clock'> & {
  readonly repositories: RepositoriesFor<{
    transactionalEmails: TransactionalEmail
    templates: Template
    senderIdentities: SenderIdentity
    suppressions: Suppression
    dispatches: Dispatch
  }>
  readonly acceptor: SendAcceptor
  readonly deliveries: Pick<Deliveries, 'get' | 'stop'>
  readonly files: Pick<Files, 'remove'>
  readonly emailTemplates: Pick<EmailTemplateChecks, 'violations'>
  readonly large: CooperativeQueue
  readonly secrets: Pick<Secrets, 'digest'>
  readonly settings: AttachmentLimits
}

/** In ms. */
const longestAhead = 30 * 24 * 60 * 60_000

/** Why nothing can be cancelled any more, by the status of a mail. */
const pastCancelling: Readonly<Record<DeliveryStatus, string>> = {
  queued: 'The mail is being sent and can no longer be cancelled.',
  sending: 'The mail is being sent and can no longer be cancelled.',
  uncertain: 'The mail is being sent and can no longer be cancelled.',
  sent: 'The mail was already sent.',
  failed: 'The mail could not be sent; there is nothing to cancel.',
  excluded: 'No address of this send gets a mail; there is nothing to cancel.',
}

type Given = ValidParts<Pick<Read, 'subject' | 'html' | 'text' | 'template' | 'raw'>>

const contentOf = ({ subject = '', html, text, raw }: Given): Omit<EmailContent, 'senderIdentity' | 'replyTo'> => ({
  name: subject.slice(0, 200),
  subject,
  ...(html ? { type: 'html', document: html, ...(text && { text }) } : { type: 'text', document: text ?? '' }),
  feeds: [],
  ...(raw && { isLiteral: true }),
})

const ownViolations = ({ subject, html, text, template, raw }: Given): readonly Violation[] => {
  if (template === undefined)
    return [
      ...(html || text ? [] : [wrongFieldViolation('html', 'expected html, text or template')]),
      ...(subject?.trim() ? [] : [wrongFieldViolation('subject', 'required without a template')]),
    ]
  return [
    ...(html || text ? [wrongFieldViolation('template', 'expected either a template or html and text')] : []),
    ...(raw ? [wrongFieldViolation('raw', 'a stored template is never raw')] : []),
  ]
}

/** Sends whose content comes with the request, durable when they are answered. */
export const directSendUseCases = (deps: Deps) => {
  const { repositories, acceptor, deliveries, emailTemplates, large, secrets, newId, clock, files, settings } = deps
  const { transactionalEmails, templates, senderIdentities, suppressions, dispatches } = repositories

  /** @throws Refusal `not-found` */
  const stored = async (projectId: string, _id: string): Promise<EmailRecord> => {
    const transactional = await large.get(transactionalEmails, _id, projectId)
    if (transactional) return transactional
    const template = await large.get(templates, _id, projectId)
    if (!template) throw notFound('Template')
    return { ...template, _id: directEmailId(secrets, projectId), type: 'visual', feeds: [] }
  }

  /** @throws Refusal `invalid` */
  const senderId = async (projectId: string, from: string): Promise<string> => {
    const isAddress = from.includes('@')
    const one = await senderIdentities.get({
      projectId,
      ...(isAddress ? { emailKey: addressKey(from) } : { _id: from }),
    })
    if (one) return one._id
    throw invalid(`from: the project has no sender identity with this ${isAddress ? 'address' : 'id'}. Add it first`)
  }

  const violations =
    (projectId: string) =>
    async (given: ValidParts<Read>): Promise<readonly Violation[]> => {
      const { html, text } = given
      const size = (html?.length ?? 0) + (text?.length ?? 0)
      const ofTemplates = await large.stepOver(size, projectId, () =>
        emailTemplates.violations(contentOf(given), html ? 'html' : 'text'),
      )
      return [...ownViolations(given), ...ofTemplates, ...timeViolations(given)]
    }

  const timeViolations = ({ sendAt }: ValidParts<Read>): readonly Violation[] => {
    const at = sendAt === undefined ? undefined : zonedInstantOf(sendAt, 'UTC')
    const now = clock().getTime()
    return at === undefined || (Date.parse(at) > now && Date.parse(at) <= now + longestAhead)
      ? []
      : [wrongFieldViolation('sendAt', 'expected a time in the future, at most 30 days ahead')]
  }

  /** @throws Refusal `blocked` if nobody is left */
  const exclusions = async (projectId: string, emails: readonly string[]) => {
    const found = await collected(suppressions.each({ projectId, emailKey: emails.map(addressKey) }))
    if (found.length === emails.length) assertNotSuppressed(found[0])
    return new Map(found.map(({ emailKey }): [string, ExclusionReason] => [emailKey, 'suppressed']))
  }

  const emailOf = async (projectId: string, input: Read) => {
    const { subject, template, raw, from, replyTo } = input
    const chosen = {
      ...(from !== undefined && { senderIdentity: await senderId(projectId, from) }),
      ...(replyTo && { replyTo }),
    }
    if (template === undefined) {
      const _id = directEmailId(secrets, projectId)
      const tracking = raw ? { tracking: { opens: false, clicks: false } } : {}
      return {
        email: { ...contentOf(input), ...chosen, ...tracking, _id, projectId, ...stamps(clock().toISOString()) },
        isOwn: true,
      }
    }
    const { senderIdentity, ...replaced } = chosen
    const email = await stored(projectId, template)
    const changes = { ...replaced, ...(subject && { subject }) }
    return {
      email: senderIdentity ? { ...email, senderIdentity } : email,
      ...(Object.keys(changes).length > 0 && { changes }),
    }
  }

  const answerOf = (
    { _id, audience, sendAt }: DirectDispatch,
    reasonOf: (deliveryId: string, email: string) => ExclusionReason | undefined,
  ): DirectSendAnswer => ({
    ...successAnswer,
    dispatchId: _id,
    ...(sendAt && { sendAt }),
    deliveries: directAudienceAddresses(audience).map((email) => {
      const id = deliveryId(_id, addressKey(email))
      const reason = reasonOf(id, email)
      return { email, deliveryId: id, accepted: reason === undefined, ...(reason && { reason }) }
    }),
  })

  const rowsOf = async ({ _id, audience }: DirectDispatch): Promise<ReadonlyMap<string, Delivery>> => {
    const ids = directAudienceAddresses(audience).map((email) => deliveryId(_id, addressKey(email)))
    const found = await Promise.all(ids.map(deliveries.get))
    return new Map(found.flatMap((row) => (row ? [[row._id, row]] : [])))
  }

  return {
    /**
     * Cancels the mails of a send that wait in the queue; the store decides about each in one step. Idempotent.
     * @throws Refusal `not-found`, `blocked` if none can be cancelled, with the reason
     */
    cancel: async ({ projectId }: Scope, dispatchId: string): Promise<CancelAnswer> => {
      const dispatch = await dispatches.get({ _id: dispatchId, projectId, kind: ['direct', 'transactional'] })
      if (!dispatch || !isDirectAudience(dispatch.audience)) throw notFound('Send')
      const { audience } = dispatch
      const isWaiting = [...(await rowsOf({ ...dispatch, audience })).values()].some(
        ({ status }) => status === 'queued',
      )
      if (isWaiting) await deliveries.stop(dispatchId, creditCounterKey(dispatch.accountId), clock().toISOString())
      const rows = await rowsOf({ ...dispatch, audience })
      const isOver = [...rows.values()].every(({ status }) => isFinal(status))
      if (dispatch.attachments && isOver) await removeStoredAttachments(files, dispatchId)
      const mails = directAudienceAddresses(audience).map((email) => {
        const id = deliveryId(dispatchId, addressKey(email))
        return { email, deliveryId: id, cancelled: rows.get(id)?.reason === 'stopped' }
      })
      const cancelled = mails.filter((one) => one.cancelled).length
      if (cancelled > 0) return { ...successAnswer, dispatchId, cancelled, deliveries: mails }
      const statuses = new Set([...rows.values()].map(({ status }) => status))
      const status = deliveryStatuses.find((one) => statuses.has(one))
      throw blocked(status ? pastCancelling[status] : 'The mails of this send are no longer kept.')
    },

    /**
     * Sends a mail whose content comes with the request; each address gets one of its own.
     * @throws Refusal `invalid`, `not-found`, `blocked` (credit, caps, restriction, all addresses suppressed)
     */
    direct: async ({ projectId, requestId }: Scope, input: DirectSend): Promise<DirectSendAnswer> => {
      const mail = await parsedBy(DirectSend, input, violations(projectId))
      const { to, data, attachments, headers = {}, tags, tracking, sendAt } = mail
      assertAttachmentLimits(attachments ?? [], settings)
      const emails = uniqueAddresses([to].flat().map(normalisedAddress))
      const [only = ''] = emails
      const audience: DirectAudience =
        emails.length > 1 ? { kind: 'recipients', emails } : { kind: 'address', email: only }
      const sent = await emailOf(projectId, mail)
      const excluded = await exclusions(projectId, emails)
      const at = sendAt === undefined ? undefined : zonedInstantOf(sendAt, 'UTC')
      const dispatch = await acceptor.accept({
        dispatchId: requestId ?? newId(),
        kind: 'direct',
        ...sent,
        audience,
        excluded,
        recipients: emails.length - excluded.size,
        data: data ?? undefined,
        attachments,
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(tags?.length && { tags }),
        tracking,
        sendAt: at,
      })
      return answerOf({ ...dispatch, audience }, (_, email) => excluded.get(addressKey(email)))
    },

    /** The send of an earlier try of the same request. */
    directMade: async ({ projectId, requestId }: Scope): Promise<DirectSendAnswer | undefined> => {
      const dispatch = requestId === undefined ? undefined : await dispatches.get({ _id: requestId, projectId })
      if (!dispatch || !isDirectAudience(dispatch.audience)) return undefined
      const { audience } = dispatch
      const rows = await rowsOf({ ...dispatch, audience })
      return answerOf({ ...dispatch, audience }, (id) => {
        const row = rows.get(id)
        return row?.attempts === 0 && row.status === 'excluded' && row.createdAt === row.updatedAt
          ? row.reason
          : undefined
      })
    },
  }
}
export type DirectSendUseCases = ReturnType<typeof directSendUseCases>
