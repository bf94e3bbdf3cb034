import type { Addressee } from '../../emails/merge-tags.js'
import type { MadeMail, PreparedEmail } from '../../emails/rendering.js'
import { chargedWork } from '../../emails/template-language.js'
import type { Clock, Secrets, Sleep } from '../../kernel/ports.js'
import { isBusy } from '../../kernel/refusal.js'
import { mailTokens } from '../../tokens/tracking-token.js'
import type { Channel } from '../channels/channel.js'
import { channelLimiters } from '../channels/channel-limiters.js'
import type { Mailer, MailOutcome } from '../channels/mailer.js'
import type { DeliveryError } from '../ledger/delivery.js'
import { returnAddresses } from '../returns/return-address.js'
import { recipientLinks } from './links.js'
import { errorOf } from './outcomes.js'

/** One mail that is to be made and sent. Plain data. */
export type MailToSend = {
  readonly deliveryId: string
  readonly email: string
  /** Absent where nobody knows the address. */
  readonly contact?: (Addressee & { readonly _id: string; readonly emailKey: string }) | undefined
  /** Whose address the mail comes back to, where it is one of many. */
  readonly contactId?: string | undefined
  /** Epoch milliseconds: not begun after it, as the lease has ended. */
  readonly until: number
}

/** Mails of one dispatch. Plain data, but for the mailer and the signal: who works elsewhere has a mailer of the channel there. */
export type MailBatch = {
  readonly dispatchId: string
  readonly projectId: string
  readonly email: PreparedEmail
  readonly channel: Channel
  readonly mailer: Pick<Mailer, 'send' | 'concurrency'>
  /** The list that it goes to or by, and the project's own page for preferences: what its mails link to. */
  readonly list?: { readonly subscriberListId: string; readonly ownPage: string | undefined } | undefined
  /** Mails wait for their turn by shares, and each has its own. */
  readonly share: string
  readonly mails: readonly MailToSend[]
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
  /** Tells each mail's result once, as they come. Never throws: every trouble is a result. */
  send(batch: MailBatch, answered: (results: readonly MailResult[]) => void): void
  close(): Promise<void>
}

type Deps = {
  readonly secrets: Pick<Secrets, 'sign' | 'signed' | 'digest'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly settings: { readonly publicUrl: string; readonly bounceDomain?: string | undefined }
}

type TokensFor = ReturnType<typeof mailTokens> | undefined

/** What is rendered before others have their turn, in characters of work and of mail: some milliseconds. */
const renderSlice = 1_000_000

/** Mails that were made and are not handed over yet hold no more characters than this, and one more mail. */
const mostHeld = 64 * 1024 * 1024

/** Renders and sends in the thread that asks: as many mails at once as the channel's mailer takes, shares by turns. */
export const renderingAndSending = ({ secrets, clock, sleep, settings }: Deps): RenderAndSend => {
  const inTurn = channelLimiters()
  const linksOf = recipientLinks({ secrets, settings })
  const returnsOf = returnAddresses({ secrets, settings })
  let rendered = 0
  let rest: Promise<void> | undefined

  let held = 0
  let forRoom: (() => void)[] = []

  /** Waits while the mails that were made hold too much. */
  const roomed = async (): Promise<void> => {
    while (held >= mostHeld) await new Promise<void>((resolve) => forRoom.push(resolve))
  }

  const freed = (characters: number): void => {
    held -= characters
    const waiting = forRoom
    forRoom = []
    for (const goOn of waiting) goOn()
  }

  /** After each slice of rendering, whatever else this thread does has its turn. */
  const rested = async () => {
    while (rendered >= renderSlice) {
      rest ??= sleep(0).then(() => {
        rendered = 0
        rest = undefined
      })
      await rest
    }
  }

  const make = (
    { email, list }: MailBatch,
    { links, tokensFor }: { readonly links: ReturnType<typeof linksOf> | undefined; readonly tokensFor: TokensFor },
    { deliveryId, email: address, contact }: MailToSend,
  ): MadeMail | Promise<MadeMail> => {
    const before = chargedWork()
    const made = email.make({
      to: { email: address, name: contact?.name ?? '' },
      contact: contact ?? { email: address, name: '', tags: [], customFields: {} },
      ...(links && contact && { links: links(contact) }),
      deliveryId,
      date: clock(),
      tracking: list && !contact ? undefined : tokensFor?.(list && contact?._id),
    })
    rendered += chargedWork() - before + ('mime' in made ? made.mime.length : 0)
    return made
  }

  return {
    send: (batch, answered) => {
      const { dispatchId, projectId, email, channel, mailer, list, share, signal } = batch
      const links = list && linksOf({ customSubscriptionPreferencesUrl: list.ownPage }, { _id: dispatchId, ...list })

      const tokensFor =
        email.source.tracking && mailTokens(secrets, { table: email.source.tracking.tableId, dispatchId })

      const resultOf = async (mail: MailToSend): Promise<MailResult> => {
        const { deliveryId } = mail
        if (rendered >= renderSlice) await rested()
        if (held >= mostHeld) await roomed()
        if (signal?.aborted || clock().getTime() >= mail.until) return { deliveryId, kind: 'left' }
        let made: MadeMail
        try {
          const making = make(batch, { links, tokensFor }, mail)
          made = making instanceof Promise ? await making : making
        } catch (error) {
          return isBusy(error)
            ? { deliveryId, kind: 'busy' }
            : { deliveryId, kind: 'unmade', error: errorOf('RenderFailure', error) }
        }
        const { mime, isTransparent, subject } = made
        const { email: to, contactId } = mail
        const returns = returnsOf({ dispatchId, ...(contactId !== undefined && { contactId }) })
        held += mime.length
        const outcome = await mailer
          .send({ deliveryId, projectId, from: email.from, ...returns, to, mime, isTransparent })
          .catch((error: unknown): MailOutcome => ({ kind: 'unknown', error: errorOf('MailerFailure', error) }))
        freed(mime.length)
        return { deliveryId, kind: 'sent', outcome, ...(subject !== undefined && { subject }) }
      }

      for (const mail of batch.mails)
        void inTurn(channel, mailer, share, () => resultOf(mail)).then((result) => answered([result]))
    },
    close: async () => undefined,
  }
}
