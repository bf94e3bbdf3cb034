import { z } from 'zod'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { TriggeredEmail } from '../emails/triggered-emails.js'
import type { CooperativeQueue } from '../kernel/cooperative-queue.js'
import {
  addressKey,
  EmailAddress,
  hasUnicodeLocalPart,
  isEmailAddress,
  normalisedAddress,
  unicodeLocalPartMessage,
  uniqueAddresses,
} from '../kernel/email-address.js'
import { messageWithoutFieldName, parsed, runRuleEvenIfInvalid } from '../kernel/parsed.js'
import type { NewId } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import { orNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id } from '../kernel/shapes.js'
import { jsonLengthUpTo } from '../kernel/storable.js'
import { TrackingFields } from '../projects/tracking-choice.js'
import type { SendAcceptor, SingleSendRequest } from '../sending/acceptance/acceptance.js'
import { type AttachmentLimits, assertAttachmentLimits, MailAttachments } from '../sending/acceptance/attachments.js'
import type { DispatchAddressStorage } from '../sending/audience/audience.js'
import { type AudienceRecipients, type CountedRecipients, mostExcludedShown } from '../sending/audience/recipients.js'
import { deliveryId, exclusionReasons } from '../sending/ledger/delivery.js'
import {
  type DirectAudience,
  type Dispatch,
  type DispatchAudience,
  isDirectAudience,
} from '../sending/ledger/dispatch.js'
import { refuseSuppressedAddress, type Suppression } from '../suppressions/suppression.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    transactionalEmails: TransactionalEmail
    triggeredEmails: TriggeredEmail
    suppressions: Suppression
    dispatches: Dispatch
  }>
  readonly acceptor: SendAcceptor
  readonly recipients: AudienceRecipients
  readonly addresses: Pick<DispatchAddressStorage, 'kept' | 'drop'>
  readonly large: CooperativeQueue
  readonly newId: NewId
  readonly settings: AttachmentLimits
}

/** In characters of JSON. */
const largestData = 1_000_000

export const MergeData = z
  .record(z.string(), z.unknown(), 'expected an object')
  .refine((data) => jsonLengthUpTo(data, largestData) <= largestData, 'expected at most 1 MB of JSON')
  .nullable()
  .optional()
  .describe('Merged into the top level of the template context')

const given = (fields: readonly string[], message: string) =>
  [
    (input: Readonly<Record<string, unknown>>) => fields.every((field) => input[field] !== undefined),
    { ...messageWithoutFieldName(message), ...runRuleEvenIfInvalid },
  ] as const

/** Spec, "Sending". */
export const SendTransactional = z
  .strictObject({
    email: EmailAddress.optional(),
    transactionalId: z.string().optional().describe('The transactional email to send'),
    data: MergeData,
    attachments: MailAttachments.optional(),
    tracking: TrackingFields.optional(),
  })
  .refine(...given(['email', 'transactionalId'], 'Missing required parameters: email and transactionalId.'))
  .meta({ id: 'SendTransactional', override: { required: ['email', 'transactionalId'] } })
export type SendTransactional = z.input<typeof SendTransactional>

/** gaps.md. Larger audiences need a list. */
const mostAddresses = { inRequest: 10_000, embedded: 1_000_000 }

/** Spec, "Sending". */
export const SendTriggered = z
  .strictObject({
    triggeredId: z.string().optional().describe('The triggered email to send'),
    emails: z
      .array(z.string().overwrite(normalisedAddress), messageWithoutFieldName('Invalid emails format'))
      .max(
        mostAddresses.inRequest,
        messageWithoutFieldName(`emails: expected at most ${mostAddresses.inRequest} addresses in one send`),
      )
      .refine((emails) => !emails.some(hasUnicodeLocalPart), {
        ...messageWithoutFieldName(`Invalid emails format: ${unicodeLocalPartMessage}`),
        abort: true,
      })
      .refine((emails) => emails.every(isEmailAddress), messageWithoutFieldName('Invalid emails format'))
      .optional()
      .meta({
        description: 'Absent: every active subscriber of the email’s list',
        override: { items: { type: 'string', format: 'email' } },
      }),
    data: MergeData,
    attachments: MailAttachments.optional(),
    tracking: TrackingFields.optional(),
  })
  .refine(...given(['triggeredId'], 'Missing required parameters: triggeredId.'))
  .meta({ id: 'SendTriggered', override: { required: ['triggeredId'] } })
export type SendTriggered = z.input<typeof SendTriggered>

/** Many addresses are validated in pages. @throws Refusal `invalid` */
const readTriggered = (caller: Scope['caller'], input: SendTriggered): z.output<typeof SendTriggered> => {
  const { emails = [], ...others } = input
  if (caller !== 'operator' || emails.length <= mostAddresses.inRequest) return parsed(SendTriggered, input)
  if (emails.length > mostAddresses.embedded)
    throw invalid(`emails: expected at most ${mostAddresses.embedded} addresses in one send`)
  const { triggeredId } = others
  const pages = Array.from({ length: Math.ceil(emails.length / mostAddresses.inRequest) }, (_, n) =>
    emails.slice(n * mostAddresses.inRequest, (n + 1) * mostAddresses.inRequest),
  )
  const read = pages.flatMap((page) => parsed(SendTriggered, { triggeredId, emails: page }).emails ?? [])
  return { ...parsed(SendTriggered, others), emails: read }
}

export const Success = z
  .object({ success: z.literal(true).describe('The request is queued durably') })
  .meta({ id: 'Success' })
export type Success = z.output<typeof Success>

export const successAnswer: Success = { success: true }

/** The send is durably queued; webhooks, recipients and the ledger have these ids. */
export const SendAnswer = Success.extend({
  dispatchId: Id.describe('Of this sending, to one or to many'),
  deliveryId: z.string().optional().describe('Of the mail, where it is sent to one address'),
  accepted: z.int().optional().describe('Of send-triggered: how many addresses get the mail'),
  excluded: z
    .array(
      z.object({
        email: z.string().describe('The address'),
        reason: z.enum(exclusionReasons).describe('Why it gets nothing'),
      }),
    )
    .max(mostExcludedShown)
    .optional()
    .describe(
      `Of send-triggered: the given addresses that get nothing, and why; ${mostExcludedShown} at most, and none where it goes to the list`,
    ),
  excludedCount: z.int().optional().describe('Number of excluded addresses, if more than `excluded` lists'),
}).meta({ id: 'SendAnswer' })
export type SendAnswer = z.output<typeof SendAnswer>

/** Undefined for a list or several addresses. */
const onlyAddress = ({ audience }: Pick<Dispatch, 'audience'>): string | undefined => {
  if (audience.kind === 'address') return audience.email
  return audience.kind === 'addresses' && audience.emails.length === 1 ? audience.emails[0] : undefined
}

/** `counted`: recipients and exclusions. */
export const sendAnswerOf = (dispatch: Pick<Dispatch, '_id' | 'audience'>, counted?: CountedRecipients): SendAnswer => {
  const email = onlyAddress(dispatch)
  const { total = 0, reachable = 0, excluded = [] } = counted ?? {}
  return {
    ...successAnswer,
    dispatchId: dispatch._id,
    ...(email !== undefined && { deliveryId: deliveryId(dispatch._id, addressKey(email)) }),
    ...(counted && { accepted: reachable, excluded }),
    ...(total - reachable > excluded.length && { excludedCount: total - reachable }),
  }
}

type ToOne = { readonly email: string; readonly transactionalId: string } & Pick<
  SingleSendRequest,
  'data' | 'attachments' | 'tracking'
>

type VerificationMail = { readonly projectId: string; readonly email: string; readonly transactionalId: string }

/** A send is durable and its credit taken when the promise resolves. */
export const sendUseCases = ({ repositories, acceptor, recipients, addresses, large, newId, settings }: Deps) => {
  const { transactionalEmails, triggeredEmails, suppressions, dispatches } = repositories

  const toOne = async (
    { projectId, requestId }: Pick<Scope, 'projectId' | 'requestId'>,
    { email, transactionalId, ...content }: ToOne,
  ): Promise<SendAnswer> => {
    const document = orNotFound(transactionalEmails, await large.get(transactionalEmails, transactionalId, projectId))
    await refuseSuppressedAddress(suppressions, projectId, email)
    const dispatch = await acceptor.accept({
      dispatchId: requestId ?? newId(),
      kind: 'transactional',
      email: document,
      audience: { kind: 'address', email },
      recipients: 1,
      ...content,
    })
    return sendAnswerOf(dispatch)
  }

  return {
    /** For the URL that does not name a project. */
    projectOfTransactional: async (id: string): Promise<string | undefined> =>
      (await transactionalEmails.get({ _id: id }))?.projectId,
    projectOfTriggered: async (id: string): Promise<string | undefined> =>
      (await triggeredEmails.get({ _id: id }))?.projectId,

    /** @throws Refusal `invalid`, `not-found`, `blocked` (credit, caps, restriction, a suppressed address) */
    transactional: async (scope: Scope, input: SendTransactional): Promise<SendAnswer> => {
      const { email = '', transactionalId = '', data, ...content } = parsed(SendTransactional, input)
      assertAttachmentLimits(content.attachments ?? [], settings)
      return toOne(scope, { email, transactionalId, data: data ?? undefined, ...content })
    },

    /** The send of an earlier try of the same request. */
    made: async ({ projectId, requestId }: Scope): Promise<SendAnswer | undefined> => {
      const dispatch = requestId === undefined ? undefined : await dispatches.get({ _id: requestId, projectId })
      if (!dispatch) return undefined
      const { audience } = dispatch
      return sendAnswerOf(
        dispatch,
        isDirectAudience(audience) ? undefined : await recipients.count(projectId, audience),
      )
    },

    /** Checks that the mail could be sent now. @throws Refusal as `transactional` */
    assertVerifiable: async ({ projectId, email, transactionalId }: VerificationMail): Promise<void> => {
      const document = orNotFound(transactionalEmails, await large.get(transactionalEmails, transactionalId, projectId))
      await refuseSuppressedAddress(suppressions, projectId, email)
      await acceptor.assertAcceptable(document, 1)
    },

    /** Double opt-in: nobody is tracked before they have agreed. @throws Refusal as `transactional` */
    verification: async (mail: VerificationMail & { readonly verifyLink: string }): Promise<void> => {
      const { projectId, email, transactionalId, verifyLink } = mail
      const tracking = { opens: false, clicks: false }
      await toOne({ projectId }, { email, transactionalId, data: { verifyLink }, tracking })
    },

    /**
     * To the addresses active on the email's list, or all active subscribers.
     * @throws Refusal `invalid`, `not-found`, `blocked`
     */
    triggered: async ({ projectId, requestId, caller }: Scope, input: SendTriggered): Promise<SendAnswer> => {
      const { triggeredId = '', emails, data, ...content } = readTriggered(caller, input)
      assertAttachmentLimits(content.attachments ?? [], settings)
      const document = orNotFound(triggeredEmails, await large.get(triggeredEmails, triggeredId, projectId))
      const { subscriberListId, excludeUnengaged } = document
      const audience: Exclude<DispatchAudience, DirectAudience> = emails
        ? { kind: 'addresses', subscriberListId, emails: uniqueAddresses(emails), excludeUnengaged }
        : { kind: 'list', subscriberListId, excludeUnengaged }
      const dispatchId = requestId ?? newId()
      const named = audience.kind === 'addresses' ? await addresses.kept(projectId, dispatchId, audience) : audience
      const counted = recipients.count(projectId, audience)
      try {
        const dispatch = await acceptor.accept({
          dispatchId,
          kind: 'triggered',
          email: document,
          audience: named,
          recipients: counted.then(({ reachable }) => reachable),
          data: data ?? undefined,
          ...content,
        })
        return sendAnswerOf(dispatch, await counted)
      } catch (error) {
        if (named !== audience) await addresses.drop(dispatchId)
        throw error
      }
    },
  }
}
