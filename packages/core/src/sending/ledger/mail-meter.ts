import type { Channel } from '../channels/channel.js'
import type { MailError } from '../channels/mailer.js'
import type { Settlement } from './deliveries.js'
import type { DispatchKind } from './dispatch.js'

/** Receives every mail's outcome for counting. Must return at once and never throw. */
export type MailMeter = {
  /** The recorded end of an attempt; `kind` is undefined if the mail's dispatch no longer exists. */
  readonly outcome: (kind: DispatchKind | undefined, to: Settlement['to'], error: MailError | undefined) => void
  /** A provider throttled a mail. */
  readonly throttled: (channel: Channel) => void
}
