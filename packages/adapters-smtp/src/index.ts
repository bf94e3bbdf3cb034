export { smtpMailer } from './smtp/smtp-mailer.js'
export { type SmtpOptions, type SmtpSettings, type SmtpTimeouts, WrongSmtpOptions } from './smtp/smtp-settings.js'
export { smtpUrl } from './smtp/smtp-url.js'
