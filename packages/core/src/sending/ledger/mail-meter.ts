import type { Channel } from '../channels/channel.js'
import type { MailError } from '../channels/mailer.js'
import type { Settlement } from './deliveries.js'
import type { DispatchKind } from './dispatch.js'

/** Hears what becomes of mails, for whoever counts it. Called for every mail: it answers at once, and throws nothing. */
export type MailMeter = {
  /** How an attempt ended, as it goes on record; without a kind, the mail's dispatch is gone. */
  readonly outcome: (kind: DispatchKind | undefined, to: Settlement['to'], error: MailError | undefined) => void
  /** A provider said "too fast". */
  readonly throttled: (channel: Channel) => void
}
