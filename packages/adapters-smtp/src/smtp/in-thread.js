/** Plain JavaScript, because threads start from a file without a loader; it imports built modules. */
export { mailerInThread as openMailer } from '#built/smtp/smtp-mailer.js'
