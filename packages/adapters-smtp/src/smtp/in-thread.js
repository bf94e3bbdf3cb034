/** Plain JavaScript: threads start without a loader. Imports built modules. */
export { mailerInThread as openMailer } from '#built/smtp/smtp-mailer.js'
