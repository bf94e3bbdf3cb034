import { type FairQueue, fairQueue } from '../../kernel/fair-queue.js'
import type { Runtime, Secrets } from '../../kernel/ports.js'
import { isBusyRefusal } from '../../kernel/refusal.js'
import type { MergeTagContact } from '../../mail/merge-context.js'
import type { MadeMail, PreparedEmail } from '../../mail/rendering.js'
import { chargedRenderWork } from '../../mail/template/budget.js'
import { mailTokens } from '../../tokens/tracking-token.js'
import { channelKey, type SendingChannel } from '../channels/channel.js'
import type { Mailer, MailOutcome } from '../channels/mailer.js'
import { type DeliveryError, dispatchIdOf } from '../ledger/delivery.js'
import { returnAddresses } from '../returns/return-address.js'
import type { UnconfirmedTransmissions } from './channel-capacity.js'
import { deliveryErrorOf } from './outcome.js'
import { recipientLinks } from './recipient-links.js'

export type DeliveryToRender = {
  readonly deliveryId: string
  readonly email: string
  readonly contact?: (MergeTagContact & { readonly _id: string; readonly emailKey: string }) | undefined
  /** The contact or its `recipientMark`, named in the return address; absent for single mails. */
  readonly contactId?: string | undefined
  /** Epoch ms: the mail does not start later. */
  readonly until: number
  /** For a dispatch whose compiled email is shared. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/** Mails that share a compiled email. Plain data except mailer, slots and signal: another thread uses its own. */
export type MailBatch = {
  readonly dispatchId: string
  readonly projectId: string
  readonly email: PreparedEmail
  readonly channel: SendingChannel
  readonly mailer: Pick<Mailer, 'send' | 'concurrency' | 'tellsReference'>
  /** The mails’ list, and the project’s own preferences page. */
  readonly list?: { readonly subscriberListId: string; readonly ownPage: string | undefined } | undefined
  /** Those with different keys take turns. */
  readonly turnKey: string
  readonly mails: readonly DeliveryToRender[]
  readonly unconfirmed: Pick<UnconfirmedTransmissions, 'cells' | 'take'>
  /** Once aborted, no mail starts. */
  readonly signal?: AbortSignal | undefined
}

/** `answered`: the mailer returned an outcome, such as accepted or refused. `overloaded`: the renderer refused more work. `not-started`: the lease ended, or the worker stops. */
export type MailResult = { readonly deliveryId: string } & (
  | { readonly kind: 'answered'; readonly outcome: MailOutcome; readonly subject?: string | undefined }
  | { readonly kind: 'render-failed'; readonly error: DeliveryError }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'not-started' }
)

/** Renders and transmits mails, in this thread or another one. */
export interface RenderAndSend {
  /** Reports each mail's result once; never throws. Every started mail takes an unconfirmed slot; one that is not started takes none. */
  send(batch: MailBatch, answered: (results: readonly MailResult[]) => void): void
  /** Mails will come soon: starts the thread. */
  expectMails?(): void
  freed(): void
  close(): Promise<void>
}

type Deps = Pick<Runtime, 'clock' | 'sleep'> & {
  readonly secrets: Pick<Secrets, 'sign' | 'signed' | 'digest'>
  readonly settings: { readonly publicUrl: string; readonly bounceDomain?: string | undefined }
}

type Work = {
  readonly batch: MailBatch
  readonly linksFor: ReturnType<ReturnType<typeof recipientLinks>> | undefined
  readonly tokensFor: (dispatchId: string) => ReturnType<typeof mailTokens> | undefined
  readonly tell: (result: MailResult) => void
}
type Waiting = { readonly work: Work; readonly mail: DeliveryToRender }

/** Mails of one channel. Runs up to the mailer's concurrency; turn keys take turns. */
type ChannelQueue = { readonly mails: FairQueue<Waiting>; running: number }

/** In characters, a few ms: then the event loop gets a turn. */
const renderSlice = 1_000_000

/** In characters. */
const mostCharacters = 64 * 1024 * 1024

const together = (answered: (results: readonly MailResult[]) => void): ((result: MailResult) => void) => {
  let results: MailResult[] = []
  const tell = () => {
    const told = results
    results = []
    answered(told)
  }
  return (result) => {
    if (results.push(result) === 1) void Promise.resolve().then(tell)
  }
}

/** A mail with its own data is its dispatch's only one. */
const dispatchOfMail = (
  { dispatchId }: Pick<MailBatch, 'dispatchId'>,
  { deliveryId, data }: Pick<DeliveryToRender, 'deliveryId' | 'data'>,
): string => (data ? dispatchIdOf(deliveryId) : dispatchId)

/** Successive calls usually have the same key. */
const ofLast = <T>(make: (key: string) => T): ((key: string) => T) => {
  let last: { readonly key: string; readonly made: T } | undefined
  return (key) => {
    if (last?.key !== key) last = { key, made: make(key) }
    return last.made
  }
}

const renderFailure = (deliveryId: string, error: unknown): MailResult =>
  isBusyRefusal(error)
    ? { deliveryId, kind: 'overloaded' }
    : { deliveryId, kind: 'render-failed', error: deliveryErrorOf('RenderFailure', error) }

const lost = (error: unknown): MailOutcome => ({ kind: 'unknown', error: deliveryErrorOf('MailerFailure', error) })

/** Renders and sends in the calling thread. */
export const renderingAndSending = ({ secrets, clock, sleep, settings }: Deps): RenderAndSend => {
  const linksOf = recipientLinks({ secrets, settings })
  const returnsOf = returnAddresses({ secrets, settings })
  const queues = new Map<string, ChannelQueue>()
  let rendered = 0
  let isResting = false
  let inMemory = 0
  let isPumping = false

  const make = (
    { batch, linksFor, tokensFor }: Work,
    { deliveryId, email: address, contact, contactId, data }: DeliveryToRender,
  ) => {
    const { email, list } = batch
    const before = chargedRenderWork()
    const dispatchId = dispatchOfMail(batch, { deliveryId, data })
    const made = email.make({
      to: { email: address, name: contact?.name ?? '' },
      contact: contact ?? { email: address, name: '', tags: [], customFields: {} },
      links: contact && linksFor?.(contact),
      deliveryId,
      date: clock(),
      tracking: list && !contact ? undefined : tokensFor(dispatchId)?.(list ? contact?._id : contactId),
      own: data && { dispatchId, data },
    })
    rendered += chargedRenderWork() - before + ('mime' in made ? made.mime.length : 0)
    return made
  }

  const begin = (queue: ChannelQueue, { work, mail }: Waiting): void => {
    const { projectId, email, mailer } = work.batch
    const { deliveryId, email: to, contactId } = mail
    const dispatchId = dispatchOfMail(work.batch, mail)

    const over = (result: MailResult, characters: number) => {
      queue.running -= 1
      inMemory -= characters
      work.tell(result)
      pump()
    }

    const hand = ({ mime, isTransparent, subject }: MadeMail) => {
      inMemory += mime.length
      const { reference, envelopeFrom } = returnsOf(
        contactId === undefined ? { dispatchId } : { dispatchId, contactId },
      )
      const sent = (outcome: MailOutcome) => over({ deliveryId, kind: 'answered', outcome, subject }, mime.length)
      mailer
        .send({
          deliveryId,
          projectId,
          from: email.from,
          envelopeFrom: envelopeFrom(),
          reference: mailer.tellsReference ? reference() : undefined,
          to,
          mime,
          isTransparent,
        })
        .then(sent, (error: unknown) => sent(lost(error)))
    }

    queue.running += 1
    try {
      const made = make(work, mail)
      if (made instanceof Promise) made.then(hand, (error: unknown) => over(renderFailure(deliveryId, error), 0))
      else hand(made)
    } catch (error) {
      over(renderFailure(deliveryId, error), 0)
    }
  }

  /** Pauses after each slice. */
  const rests = (): boolean => {
    if (rendered >= renderSlice && !isResting) {
      isResting = true
      void sleep(0).then(() => {
        rendered = 0
        isResting = false
        pump()
      })
    }
    return isResting || inMemory >= mostCharacters
  }

  /** Whether a mail was started or skipped. A mail without a slot stays first. */
  const beginNext = (queue: ChannelQueue): boolean => {
    const next = queue.mails.first()
    if (!next || rests()) return false
    const { batch, tell } = next.work
    const { deliveryId, until } = next.mail
    if (queue.running >= batch.mailer.concurrency) return false
    if (batch.signal?.aborted || clock().getTime() >= until) {
      queue.mails.take()
      tell({ deliveryId, kind: 'not-started' })
      return true
    }
    if (!batch.unconfirmed.take(deliveryId)) return false
    queue.mails.take()
    begin(queue, next)
    return true
  }

  const pump = (): void => {
    if (isPumping) return
    isPumping = true
    for (let begun = true; begun; ) {
      begun = false
      for (const [key, queue] of queues) {
        begun = beginNext(queue) || begun
        if (queue.running === 0 && queue.mails.isEmpty()) queues.delete(key)
      }
    }
    isPumping = false
  }

  return {
    send: (batch, answered) => {
      const { dispatchId, email, channel, list, turnKey } = batch
      const { tracking } = email.source
      const work: Work = {
        batch,
        linksFor: list && linksOf({ customSubscriptionPreferencesUrl: list.ownPage }, { _id: dispatchId, ...list }),
        tokensFor: ofLast((id) => tracking && mailTokens(secrets, { table: tracking.tableId, dispatchId: id })),
        tell: together(answered),
      }
      const key = channelKey(channel)
      const queue = queues.get(key) ?? { mails: fairQueue<Waiting>(), running: 0 }
      queues.set(key, queue)
      for (const mail of batch.mails) queue.mails.add(turnKey, { work, mail })
      pump()
    },
    freed: pump,
    close: async () => undefined,
  }
}
