/** Plain JavaScript: threads start without a loader. Imports built modules. */
export { mailerInThread as openMailer } from '#built/mailer/thread-mailer.js'
