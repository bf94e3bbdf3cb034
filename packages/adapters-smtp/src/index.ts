export { type Outbox, type OutboxAttachment, type OutboxMail, openMailOutbox } from './outbox/outbox.js'
export { outboxMailer } from './outbox/outbox-mailer.js'
export type { OutboxCampaign } from './outbox-pages/list-page.js'
export { outboxPages } from './outbox-pages/outbox-pages.js'
export { relayIdentities } from './relay-identities.js'
export {
  type MailerInThreadOptions,
  providerHeaderTemplates,
  smtpMailer,
  smtpThreadModule,
  withProviderReferenceHeaders,
} from './smtp/smtp-mailer.js'
export {
  type OAuth2Settings,
  type SmtpOptions,
  type SmtpSettings,
  smtpOptionViolations,
  smtpUrl,
  WrongSmtpOptions,
} from './smtp/smtp-settings.js'
