import type { Channel, OwnChannel } from './channel.js'

/** A mail ready to transmit. `mime` is the whole message: ASCII, CRLF line ends, headers included, not dot-stuffed. */
export type Mail = {
  readonly deliveryId: string
  readonly projectId: string
  readonly from: string
  /** The envelope sender if it is not `from`: the address that bounces of this mail go to. */
  readonly envelopeFrom?: string | undefined
  /**
   * A signed name of the delivery: at most 60 letters, digits and hyphens. `core.returnedMail.report` resolves it. Only set for mailers
   * with `tellsReference`.
   */
  readonly reference?: string | undefined
  readonly to: string
  readonly mime: string
  /** True if every line is known to end in CRLF, the last one too, and none begins with a dot (RFC 5321, 4.5.2). */
  readonly isTransparent?: boolean | undefined
}

export type MailError = { readonly name: string; readonly message: string }

/**
 * `refused`: permanently (a 5xx, a malformed address), with `bounce` if the address accepts no mail. `deferred`: temporarily (a 4xx, a
 * timeout before the message was taken), with `throttled` if the provider limits the rate. `unknown`: the connection broke after the whole
 * message was transmitted and before the provider answered. `stopped`: the account sends nothing until a person does what the error says.
 */
export type MailOutcome =
  | { readonly kind: 'accepted'; readonly providerMessageId: string }
  | { readonly kind: 'refused'; readonly error: MailError; readonly bounce?: boolean }
  | { readonly kind: 'deferred'; readonly error: MailError; readonly throttled: boolean }
  | { readonly kind: 'unknown'; readonly error: MailError }
  | { readonly kind: 'stopped'; readonly error: MailError }

/** Transmits mails to a provider. Never throws for a mail: every failure is an outcome. */
export interface Mailer {
  send(mail: Mail): Promise<MailOutcome>
  /** Mails per second that the provider allows now; undefined if no limit is known. Cheap: adapters cache it. */
  ratePerSecond(): Promise<number | undefined>
  /**
   * Why the account sends nothing until a person fixes it, with what to do; undefined while it sends or will recover by itself. Campaigns
   * stop for it, and mails that no user could retry wait half a day. Cheap: adapters cache it. A mailer without this method always sends
   * sooner or later.
   */
  problem?(): Promise<string | undefined>
  /** Why the rate is 0 although sending will resume by itself, for display. Cheap: adapters cache it. */
  waitsFor?(): Promise<string | undefined>
  /** Whether the provider reports its sends later, so that an unknown outcome may still be resolved. */
  readonly reportsSends: boolean
  /** Whether the mailer passes the mails' `reference` on to the provider. */
  readonly tellsReference?: boolean | undefined
  /** Mails to transmit at once. */
  readonly concurrency: number
  /** Tests the connection without sending a mail. @throws Error with a message for the operator */
  check(): Promise<void>
  close(): Promise<void>
}

/**
 * A channel's mailer cannot be created until a person fixes what `message` says: a role that cannot be assumed, say, or missing
 * credentials.
 */
export class MailerUnavailable extends Error {
  override readonly name = 'MailerUnavailable'
}

export interface Mailers {
  /** Whether the server's own account differs per region, each with its own rate; false for a relay. */
  readonly perRegion: boolean
  /**
   * Cheap and called often: adapters cache what they open, and reopen it after a change. A server channel without a region gets the
   * server's first mailer.
   * @throws MailerUnavailable; any other error may be temporary
   */
  of(channel: Channel): Promise<Mailer>
}

const noOwnAccounts = async (): Promise<Mailer> => {
  throw new MailerUnavailable('This server has no way to send through the project’s own account.')
}

/** One mailer for the server's own account. Projects' own accounts work only if `ofOwnAccount` is given. */
export const serverMailer = (
  mailer: Mailer,
  ofOwnAccount: (channel: OwnChannel) => Promise<Mailer> = noOwnAccounts,
): Mailers => ({
  perRegion: false,
  of: async (channel) => (channel.account === 'server' ? mailer : ofOwnAccount(channel)),
})
