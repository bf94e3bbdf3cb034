export {
  type Outbox,
  type OutboxAttachment,
  type OutboxItem,
  type OutboxMail,
  type OutboxQuery,
  openOutbox,
} from './outbox/outbox.js'
export { outboxMailer } from './outbox/outbox-mailer.js'
export { smtpMailer } from './smtp/smtp-mailer.js'
export { type SmtpOptions, type SmtpSettings, type SmtpTimeouts, WrongSmtpOptions } from './smtp/smtp-settings.js'
export { smtpUrl } from './smtp/smtp-url.js'
