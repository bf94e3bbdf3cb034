/** Plain JavaScript: threads start from a file without a loader. Imports built modules. */
export { mailerInThread as openMailer } from '#built/smtp/smtp-mailer.js'
