export type { MailerInThreadOptions } from './mailer/thread-mailer.js'

/** Module of `openMailer` for a sending thread: takes `MailerInThreadOptions`, asks `SesMailer.answer`. */
export const sesThreadModule = new URL('./mailer/in-thread.js', import.meta.url)
