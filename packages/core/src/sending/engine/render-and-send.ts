import type { Addressee } from '../../emails/merge-tags.js'
import type { MadeMail, PreparedEmail } from '../../emails/rendering.js'
import { chargedWork } from '../../emails/template-language.js'
import { type FairQueue, fairQueue } from '../../kernel/fair-queue.js'
import type { Clock, Secrets, Sleep } from '../../kernel/ports.js'
import { isBusy } from '../../kernel/refusal.js'
import { mailTokens } from '../../tokens/tracking-token.js'
import { type Channel, channelKey } from '../channels/channel.js'
import type { Mailer, MailOutcome } from '../channels/mailer.js'
import { type DeliveryError, dispatchOf } from '../ledger/delivery.js'
import { returnAddresses } from '../returns/return-address.js'
import { errorOf } from './outcome.js'
import { recipientLinks } from './recipient-links.js'

/** Mails that were transmitted and are not durably recorded yet: all that a crash can send twice. */
const mostUnconfirmed = 200

const [taken, limit] = [0, 1]

/** How many of a channel's mails are unconfirmed, and how many may be: in memory that threads share. */
export type UnconfirmedCells = Int32Array<SharedArrayBuffer>

/** A channel's slots for unconfirmed mails: each takes one before it is transmitted and keeps it until its outcome is durable. */
export type UnconfirmedSlots = {
  readonly cells: UnconfirmedCells
  /** Whether there was a free slot for that mail. */
  readonly take: (deliveryId: string) => boolean
  readonly free: (n: number) => void
}

/** The slots that these cells count, also for another thread. */
export const unconfirmedSlotsIn = (cells: UnconfirmedCells): UnconfirmedSlots => ({
  cells,
  take: () => {
    if (Atomics.add(cells, taken, 1) < (cells[limit] ?? 0)) return true
    Atomics.sub(cells, taken, 1)
    return false
  },
  free: (n) => {
    Atomics.sub(cells, taken, n)
  },
})

/** 200 slots, or as many as the channel's mailer sends at once. */
export const unconfirmedSlots = (concurrency: number): UnconfirmedSlots => {
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  cells[limit] = Math.max(mostUnconfirmed, concurrency)
  return unconfirmedSlotsIn(cells)
}

/** One mail to render and send. Plain data. */
export type MailToSend = {
  readonly deliveryId: string
  readonly email: string
  /** Absent where nobody knows the address. */
  readonly contact?: (Addressee & { readonly _id: string; readonly emailKey: string }) | undefined
  /** Whose address the mail comes back to, where it is one of many. */
  readonly contactId?: string | undefined
  /** Epoch milliseconds: not begun after it, as the lease has ended. */
  readonly until: number
  /** Of its dispatch, where it is all of that, and others are made from the same preparation. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Mails of one dispatch; single mails that share a preparation go together as well, and `dispatchId` is the first's. Plain data, but for
 * the mailer, the places and the signal: who works elsewhere has a mailer of the channel there.
 */
export type MailBatch = {
  readonly dispatchId: string
  readonly projectId: string
  readonly email: PreparedEmail
  readonly channel: Channel
  readonly mailer: Pick<Mailer, 'send' | 'concurrency' | 'tellsReference'>
  /** The list that it goes to or by, and the project's own page for preferences: what its mails link to. */
  readonly list?: { readonly subscriberListId: string; readonly ownPage: string | undefined } | undefined
  /** Mails wait for their turn by shares, and each has its own. */
  readonly share: string
  readonly mails: readonly MailToSend[]
  readonly unconfirmed: Pick<UnconfirmedSlots, 'cells' | 'take'>
  /** Once it is aborted, none is begun. */
  readonly signal?: AbortSignal | undefined
}

/** `sent`: handed over, with what became of it. `unmade`: cannot be rendered. `busy`: what makes it has too much to do. `left`: not begun. */
export type MailResult = { readonly deliveryId: string } & (
  | { readonly kind: 'sent'; readonly outcome: MailOutcome; readonly subject?: string | undefined }
  | { readonly kind: 'unmade'; readonly error: DeliveryError }
  | { readonly kind: 'busy' }
  | { readonly kind: 'left' }
)

/** Stages 4 and 6 of a sending, where the time goes: mails are made and handed over, in this thread or in another one. */
export interface RenderAndSend {
  /**
   * Tells each mail's result once, as they come. Never throws: every trouble is a result. Every mail that is begun takes a place among
   * those in doubt, whatever its result, and waits while there is none; one that is `left` takes none.
   */
  send(batch: MailBatch, answered: (results: readonly MailResult[]) => void): void
  /** Mails will come soon: what takes a while to start is started. */
  expectMails?(): void
  /** Places have become free: whatever waits for one goes on. */
  freed(): void
  close(): Promise<void>
}

type Deps = {
  readonly secrets: Pick<Secrets, 'sign' | 'signed' | 'digest'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly settings: { readonly publicUrl: string; readonly bounceDomain?: string | undefined }
}

/** A batch at work, and what its mails have in common. */
type Work = {
  readonly batch: MailBatch
  readonly linksFor: ReturnType<ReturnType<typeof recipientLinks>> | undefined
  readonly tokensFor: (dispatchId: string) => ReturnType<typeof mailTokens> | undefined
  readonly tell: (result: MailResult) => void
}
type Waiting = { readonly work: Work; readonly mail: MailToSend }

/** What goes by one channel: as many mails at once as its mailer takes, shares by turns. */
type Way = { readonly queue: FairQueue<Waiting>; underWay: number }

/** What is rendered before others have their turn, in characters of work and of mail: some milliseconds. */
const renderSlice = 1_000_000

/** Mails that were made and are not handed over yet hold no more characters than this, and one more mail. */
const mostHeld = 64 * 1024 * 1024

/** Tells what comes in one turn of the event loop together. */
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

/** One that brings its data is all of its dispatch, which its delivery names. */
const dispatchOfMail = (
  { dispatchId }: Pick<MailBatch, 'dispatchId'>,
  { deliveryId, data }: Pick<MailToSend, 'deliveryId' | 'data'>,
): string => (data ? dispatchOf(deliveryId) : dispatchId)

/** Asked for the same again and again, it is made once. */
const ofLast = <T>(make: (key: string) => T): ((key: string) => T) => {
  let last: { readonly key: string; readonly made: T } | undefined
  return (key) => {
    if (last?.key !== key) last = { key, made: make(key) }
    return last.made
  }
}

const unmade = (deliveryId: string, error: unknown): MailResult =>
  isBusy(error) ? { deliveryId, kind: 'busy' } : { deliveryId, kind: 'unmade', error: errorOf('RenderFailure', error) }

const lost = (error: unknown): MailOutcome => ({ kind: 'unknown', error: errorOf('MailerFailure', error) })

/** Renders and sends in the thread that asks: as many mails at once as the channel's mailer takes, shares by turns. */
export const renderingAndSending = ({ secrets, clock, sleep, settings }: Deps): RenderAndSend => {
  const linksOf = recipientLinks({ secrets, settings })
  const returnsOf = returnAddresses({ secrets, settings })
  const ways = new Map<string, Way>()
  let rendered = 0
  let isResting = false
  /** Characters of mails that were made and are not answered for. */
  let held = 0
  let isPumping = false

  const make = ({ batch, linksFor, tokensFor }: Work, { deliveryId, email: address, contact, data }: MailToSend) => {
    const { email, list } = batch
    const before = chargedWork()
    const dispatchId = dispatchOfMail(batch, { deliveryId, data })
    const made = email.make({
      to: { email: address, name: contact?.name ?? '' },
      contact: contact ?? { email: address, name: '', tags: [], customFields: {} },
      links: contact && linksFor?.(contact),
      deliveryId,
      date: clock(),
      tracking: list && !contact ? undefined : tokensFor(dispatchId)?.(list && contact?._id),
      own: data && { dispatchId, data },
    })
    rendered += chargedWork() - before + ('mime' in made ? made.mime.length : 0)
    return made
  }

  const begin = (way: Way, { work, mail }: Waiting): void => {
    const { projectId, email, mailer } = work.batch
    const { deliveryId, email: to, contactId } = mail
    const dispatchId = dispatchOfMail(work.batch, mail)

    const over = (result: MailResult, characters: number) => {
      way.underWay -= 1
      held -= characters
      work.tell(result)
      pump()
    }

    const hand = ({ mime, isTransparent, subject }: MadeMail) => {
      held += mime.length
      const { reference, envelopeFrom } = returnsOf(
        contactId === undefined ? { dispatchId } : { dispatchId, contactId },
      )
      const sent = (outcome: MailOutcome) => over({ deliveryId, kind: 'sent', outcome, subject }, mime.length)
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

    way.underWay += 1
    try {
      const made = make(work, mail)
      if (made instanceof Promise) made.then(hand, (error: unknown) => over(unmade(deliveryId, error), 0))
      else hand(made)
    } catch (error) {
      over(unmade(deliveryId, error), 0)
    }
  }

  /** After each slice of rendering, whatever else this thread does has its turn. */
  const rests = (): boolean => {
    if (rendered >= renderSlice && !isResting) {
      isResting = true
      void sleep(0).then(() => {
        rendered = 0
        isResting = false
        pump()
      })
    }
    return isResting || held >= mostHeld
  }

  /** Whether there was a mail whose turn it was. One that finds no place in doubt waits for it in front. */
  const beginNext = (way: Way): boolean => {
    const next = way.queue.first()
    if (!next || rests()) return false
    const { batch, tell } = next.work
    const { deliveryId, until } = next.mail
    if (way.underWay >= batch.mailer.concurrency) return false
    if (batch.signal?.aborted || clock().getTime() >= until) {
      way.queue.take()
      tell({ deliveryId, kind: 'left' })
      return true
    }
    if (!batch.unconfirmed.take(deliveryId)) return false
    way.queue.take()
    begin(way, next)
    return true
  }

  /** Begins whatever may be, one mail of each channel after the other. */
  const pump = (): void => {
    if (isPumping) return
    isPumping = true
    for (let begun = true; begun; ) {
      begun = false
      for (const [key, way] of ways) {
        begun = beginNext(way) || begun
        if (way.underWay === 0 && way.queue.isEmpty()) ways.delete(key)
      }
    }
    isPumping = false
  }

  return {
    send: (batch, answered) => {
      const { dispatchId, email, channel, list, share } = batch
      const { tracking } = email.source
      const work: Work = {
        batch,
        linksFor: list && linksOf({ customSubscriptionPreferencesUrl: list.ownPage }, { _id: dispatchId, ...list }),
        tokensFor: ofLast((id) => tracking && mailTokens(secrets, { table: tracking.tableId, dispatchId: id })),
        tell: together(answered),
      }
      const key = channelKey(channel)
      const way = ways.get(key) ?? { queue: fairQueue<Waiting>(), underWay: 0 }
      ways.set(key, way)
      for (const mail of batch.mails) way.queue.add(share, { work, mail })
      pump()
    },
    freed: pump,
    close: async () => undefined,
  }
}
