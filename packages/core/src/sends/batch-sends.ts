import { z } from 'zod'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import { type CooperativeQueue, largeTextThreshold } from '../kernel/cooperative-queue.js'
import { addressKey, EmailAddress } from '../kernel/email-address.js'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime, Secrets } from '../kernel/ports.js'
import { invalid, notFound, Refusal, type RefusalKind } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Id } from '../kernel/shapes.js'
import { jsonLengthUpTo } from '../kernel/storable.js'
import { TrackingFields } from '../projects/tracking-choice.js'
import type { SendAcceptor, SingleSendRequest } from '../sending/acceptance/acceptance.js'
import { type AttachmentLimits, assertAttachmentLimits, MailAttachments } from '../sending/acceptance/attachments.js'
import { deliveryId } from '../sending/ledger/delivery.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import { assertNotSuppressed, type Suppression } from '../suppressions/suppression.js'
import { MergeData, Success, successAnswer } from './sends.js'

export const mostBatchMails = 500

/** In characters of JSON, of all mails together. */
const largestData = 1_000_000

const BatchMail = z
  .strictObject({
    email: EmailAddress,
    transactionalId: z.string().optional().describe('The transactional email to send; absent: the one of the batch'),
    data: MergeData,
    attachments: MailAttachments.optional(),
    tracking: TrackingFields.optional(),
  })
  .meta({ id: 'BatchMail' })
type BatchMail = z.output<typeof BatchMail>

/** gaps.md, "Batches". */
export const SendBatch = z
  .strictObject({
    transactionalId: z.string().optional().describe('The transactional email of mails that name none'),
    mails: z
      .array(BatchMail)
      .min(1)
      .max(mostBatchMails)
      .describe(`Up to ${mostBatchMails} mails, each accepted or rejected by itself`),
  })
  .meta({ id: 'SendBatch' })
export type SendBatch = z.input<typeof SendBatch>

const Unread = SendBatch.extend({ mails: z.array(z.unknown()).min(1).max(mostBatchMails) })

/** `name` is the kind of the refusal. */
export const BatchResult = z
  .object({
    email: z.string().describe('The address as given; empty if there was none'),
    accepted: z.boolean().describe('Whether the mail is queued durably'),
    dispatchId: Id.optional().describe('Of the sending, if it was accepted'),
    deliveryId: z.string().optional().describe('Of the mail, if it was accepted'),
    error: z
      .object({
        name: z.string().describe('As in the error response of a single send'),
        message: z.string().describe('Why it was rejected'),
      })
      .optional()
      .describe('If it was rejected'),
  })
  .meta({ id: 'BatchResult' })
export type BatchResult = z.output<typeof BatchResult>

export const BatchAnswer = Success.extend({
  accepted: z.int().describe('Number of accepted mails'),
  results: z.array(BatchResult).max(mostBatchMails).describe('One per mail, in order'),
}).meta({ id: 'BatchAnswer' })
/** What became of each mail of a batch. */
export type BatchAnswer = z.output<typeof BatchAnswer>

type Deps = Pick<Runtime, 'newId' | 'sleep'> & {
  readonly repositories: RepositoriesFor<{
    transactionalEmails: TransactionalEmail
    suppressions: Suppression
    dispatches: Dispatch
  }>
  readonly acceptor: Pick<SendAcceptor, 'acceptAll'>
  readonly large: CooperativeQueue
  readonly secrets: Pick<Secrets, 'digest'>
  readonly settings: AttachmentLimits
}

/** Then other requests get a turn. */
const mailsPerTurn = 50

const refusalOr = <T>(work: () => T): T | Refusal => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

const isMail = (one: BatchMail | Refusal): one is BatchMail => !(one instanceof Refusal)

const addressIn = (mail: unknown): string => {
  const { email } = (mail ?? {}) as { readonly email?: unknown }
  return typeof email === 'string' ? email.slice(0, 320) : ''
}

/** Many transactional mails in one request, each with an answer of its own. */
export const batchSendUseCases = ({ repositories, acceptor, large, secrets, newId, sleep, settings }: Deps) => {
  const { transactionalEmails, suppressions, dispatches } = repositories

  /** Ends at the first mail with which the batch is too large. @throws Refusal `invalid` */
  const read = async (mails: readonly unknown[]): Promise<readonly (BatchMail | Refusal)[]> => {
    const all: (BatchMail | Refusal)[] = []
    const total = { data: 0, attachments: 0 }
    const add = ({ data, attachments = [] }: BatchMail): void => {
      total.data += data ? jsonLengthUpTo(data, largestData) : 0
      total.attachments += attachments.reduce((sum, { size }) => sum + size, 0)
      const most = settings.attachmentBytes
      if (total.data > largestData) throw invalid('mails: expected at most 1 MB of JSON in the data of all mails')
      if (total.attachments > most)
        throw invalid(`mails: expected at most ${Math.floor(most / 1024 / 1024)} MB of attachments in all mails`)
    }
    let since = 0
    for (const mail of mails) {
      const one = refusalOr(() => {
        const wanted = parsed(BatchMail, mail)
        assertAttachmentLimits(wanted.attachments ?? [], settings)
        return wanted
      })
      since +=
        largeTextThreshold / mailsPerTurn + (isMail(one) && one.data ? jsonLengthUpTo(one.data, largeTextThreshold) : 0)
      if (since >= largeTextThreshold) {
        since = 0
        await sleep(0)
      }
      if (isMail(one)) add(one)
      all.push(one)
    }
    return all
  }

  const emailsOf = async (projectId: string, ids: ReadonlySet<string>) => {
    const found = new Map<string, TransactionalEmail>()
    for (const _id of ids) {
      const email = await large.get(transactionalEmails, _id, projectId)
      if (email) found.set(_id, email)
    }
    return found
  }

  const suppressionsOf = async (projectId: string, mails: readonly BatchMail[]) => {
    const emailKey = [...new Set(mails.map(({ email }) => addressKey(email)))]
    return new Map((await collected(suppressions.each({ projectId, emailKey }))).map((one) => [one.emailKey, one]))
  }

  /** The same for every repetition of the request, and in the order of time like all ids. */
  const idsOf = (requestId: string, n: number): readonly string[] =>
    Array.from(
      { length: n },
      (_, place) => requestId.slice(0, 8) + secrets.digest(`${requestId}:${place}`).slice(0, 16),
    )

  /** Accepted by an earlier try of the request. */
  const earlierOf = async (projectId: string, ids: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set((await collected(dispatches.each({ projectId, _id: ids }))).map(({ _id }) => _id))

  return {
    /**
     * Each mail is accepted or rejected by itself; the accepted ones are durable when the promise resolves.
     * @throws Refusal `invalid` if the request as a whole is
     */
    batch: async ({ projectId, requestId }: Scope, input: SendBatch): Promise<BatchAnswer> => {
      const { transactionalId: standard, mails: given } = parsed(Unread, input)
      // Each by itself, so that a wrong one is rejected alone.
      const mails = await read(given)
      const id = requestId ?? newId()
      const ids = idsOf(id, mails.length)
      const earlier = requestId === undefined ? new Set<string>() : await earlierOf(projectId, ids)
      const idOf = ({ transactionalId = standard }: BatchMail) => transactionalId ?? ''
      const emails = await emailsOf(projectId, new Set(mails.filter(isMail).map(idOf)))
      const suppressed = await suppressionsOf(projectId, mails.filter(isMail))

      const requestFor = (mail: BatchMail, dispatchId: string): SingleSendRequest | Refusal =>
        refusalOr(() => {
          const { email: to, data, attachments, tracking } = mail
          if (idOf(mail) === '') throw invalid('Missing required field: transactionalId')
          const email = emails.get(idOf(mail))
          if (!email) throw notFound('Transactional email')
          assertNotSuppressed(suppressed.get(addressKey(to)))
          const audience = { kind: 'address', email: to } as const
          return {
            dispatchId,
            kind: 'transactional',
            email,
            audience,
            recipients: 1,
            data: data ?? undefined,
            attachments,
            tracking,
          }
        })

      const outcomes = mails.map((mail, place): Refusal | SingleSendRequest | undefined => {
        const dispatchId = ids[place] ?? ''
        if (earlier.has(dispatchId)) return undefined
        return mail instanceof Refusal ? mail : requestFor(mail, dispatchId)
      })
      const requests = outcomes.filter(
        (one): one is SingleSendRequest => one !== undefined && !(one instanceof Refusal),
      )
      const answers = requests.length > 0 ? await acceptor.acceptAll(id, requests) : []
      const refusals = new Map(
        requests.flatMap(({ dispatchId }, place) => {
          const answer = answers[place]
          return answer instanceof Refusal ? [[dispatchId, answer]] : []
        }),
      )

      const results = mails.map((mail, place): BatchResult => {
        const dispatchId = ids[place] ?? ''
        const outcome = outcomes[place]
        const refused = outcome instanceof Refusal ? outcome : refusals.get(dispatchId)
        const email = isMail(mail) ? mail.email : addressIn(given[place])
        return refused
          ? { email, accepted: false, error: { name: refused.kind satisfies RefusalKind, message: refused.message } }
          : { email, accepted: true, dispatchId, deliveryId: deliveryId(dispatchId, addressKey(email)) }
      })
      return { ...successAnswer, accepted: results.filter(({ accepted }) => accepted).length, results }
    },
  }
}
