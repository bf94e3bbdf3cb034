import type { Log } from '@posthorn/core'
import type { Mailer } from '@posthorn/core/ports'
import { namedBy } from './naming.js'
import { smtpMailer } from './smtp-mailer.js'
import type { SmtpOptions } from './smtp-settings.js'

/** What the mailer of a sending thread is opened with: plain data. */
export type ThreadMailerOptions = {
  readonly smtp: SmtpOptions
  /** Of `namingHeaders`. */
  readonly namedBy: readonly string[]
}

/** Where a thread finds it. */
export const smtpInThread = new URL('./in-thread.js', import.meta.url)

export const threadMailer = ({ smtp, namedBy: headers }: ThreadMailerOptions, log: Log): Mailer =>
  namedBy(smtpMailer({ ...smtp, log }), headers)
