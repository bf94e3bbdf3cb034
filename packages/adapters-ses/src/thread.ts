export type { ThreadMailerOptions } from './mailer/thread-mailer.js'

/** Module of `openMailer` for a sending thread: takes `ThreadMailerOptions`, asks `SesMailer.answer`. */
export const sesInThread = new URL('./mailer/in-thread.js', import.meta.url)
