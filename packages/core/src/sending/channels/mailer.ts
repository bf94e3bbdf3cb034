import type { Channel, OwnChannel } from './channel.js'

/** A mail ready to leave. `mime` is the whole message: ASCII, CRLF line ends, headers included, no trailing dot-stuffing. */
export type Mail = {
  readonly deliveryId: string
  readonly projectId: string
  readonly from: string
  /** The envelope's sender, where it is not `from`: where what becomes of this very mail is told. */
  readonly envelopeFrom?: string | undefined
  /**
   * A signed name of the delivery: at most 60 letters, digits and hyphens. `core.returnedMail.report` knows what it names. Made for
   * mailers alone that say `tellsReference`.
   */
  readonly reference?: string | undefined
  readonly to: string
  readonly mime: string
  /** Known of its making: every line ends in CRLF, the last one too, and none begins with a dot (RFC 5321, 4.5.2). */
  readonly isTransparent?: boolean | undefined
}

export type MailError = { readonly name: string; readonly message: string }

/**
 * What became of it. `refused`: for good (a 5xx, a malformed address), a `bounce` where it is the address that takes no mail.
 * `deferred`: not now (a 4xx, a timeout before the message was taken); `throttled` when the provider said "too fast". `unknown`: the connection broke after the whole message had been
 * handed over and before it was answered for. `stopped`: nothing of this account leaves until a person has done what the error says.
 */
export type MailOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'refused'; readonly error: MailError; readonly bounce?: boolean }
  | { readonly kind: 'deferred'; readonly error: MailError; readonly throttled: boolean }
  | { readonly kind: 'unknown'; readonly error: MailError }
  | { readonly kind: 'stopped'; readonly error: MailError }

/** Hands mails to a provider. Never throws for a mail: every trouble is an outcome. */
export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>
  /** Mails per second that the provider allows now; undefined: no limit known. Cheap: adapters cache it. */
  ratePerSecond(): Promise<number | undefined>
  /**
   * Why it sends nothing until somebody mends that, in words to act on; undefined while it sends, or will by itself. Campaigns stop for
   * it, and what nobody could retry waits for half a day. Cheap: adapters cache it. A mailer without it always sends sooner or later.
   */
  problem?(): Promise<string | undefined>
  /** Why its rate is 0 now, though it will send by itself, in words for whoever waits. Cheap: adapters cache it. */
  waitsFor?(): Promise<string | undefined>
  /** Whether the provider will report its sends later, so that an unknown outcome may be waited for. */
  readonly reportsSends: boolean
  /** Whether it tells others the mails' `reference`. */
  readonly tellsReference?: boolean | undefined
  /** How many mails to hand over at once. */
  readonly concurrency: number
  /** Tries the way out without sending anything. @throws Error with a message for the operator */
  check(): Promise<void>
  close(): Promise<void>
}

/** A channel's mailer cannot be had until somebody mends what `message` says: a role that lets nobody in, credentials that are gone. */
export class MailerUnavailable extends Error {
  override readonly name = 'MailerUnavailable'
}

/** The mailers of all channels. */
export interface Mailers {
  /** Whether the server's own account is another in each region, with a rate of its own there; of a relay it is not. */
  readonly perRegion: boolean
  /**
   * Cheap, and asked for again and again: adapters keep what they open, and open anew what has changed. A server's channel without a
   * region gets whatever the server sends by first.
   * @throws MailerUnavailable; any other error is trouble that may pass
   */
  of(channel: Channel): Promise<Mailer>
}

const noOwnAccounts = async (): Promise<Mailer> => {
  throw new MailerUnavailable('This server has no way to send through the project’s own account.')
}

/** One mailer for whatever the server's own account sends. Projects' own accounts cannot be used unless their mailers are given. */
export const serverMailer = (
  mailer: Mailer,
  ofOwnAccount: (channel: OwnChannel) => Promise<Mailer> = noOwnAccounts,
): Mailers => ({
  perRegion: false,
  of: async (channel) => (channel.account === 'server' ? mailer : ofOwnAccount(channel)),
})
