/** Plain JavaScript: threads start from a file without a loader. Imports built modules. */
export { mailerInThread as openMailer } from '#built/mailer/thread-mailer.js'
