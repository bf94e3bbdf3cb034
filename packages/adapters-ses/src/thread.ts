export type { ThreadMailerOptions } from './mailer/thread-mailer.js'

/** Where a sending thread finds `openMailer`, which is given `ThreadMailerOptions` and asks `SesMailer.answer`. */
export const sesInThread = new URL('./mailer/in-thread.js', import.meta.url)
