import type { Log } from '@posthorn/core'
import type { Mailer } from '@posthorn/core/ports/transport'
import { namedBy } from './naming.js'
import { smtpMailer } from './smtp-mailer.js'
import type { SmtpOptions } from './smtp-settings.js'

/** Plain data. */
export type ThreadMailerOptions = {
  readonly smtp: SmtpOptions
  /** Result of `namingHeaders`. */
  readonly namedBy: readonly string[]
}

/** Module of this mailer for a sending thread. */
export const smtpInThread = new URL('./in-thread.js', import.meta.url)

export const threadMailer = ({ smtp, namedBy: headers }: ThreadMailerOptions, log: Log): Mailer =>
  namedBy(smtpMailer({ ...smtp, log }), headers)
