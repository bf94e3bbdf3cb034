export {
  type MailOutboxItem,
  type Outbox,
  type OutboxAttachment,
  type OutboxMail,
  type OutboxQuery,
  openMailOutbox,
} from './outbox/outbox.js'
export { outboxMailer } from './outbox/outbox-mailer.js'
export type { OutboxCampaign } from './outbox-pages/list-page.js'
export { outboxListPage } from './outbox-pages/list-page.js'
export { outboxMailPage } from './outbox-pages/mail-page.js'
export {
  type OutboxPageRequest,
  type OutboxPageResponse,
  type OutboxPagesOptions,
  outboxPages,
} from './outbox-pages/outbox-pages.js'
export { type RelayIdentitiesOptions, relayIdentities } from './relay-identities.js'
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
  type SmtpTimeouts,
  smtpOptionViolations,
  smtpUrl,
  WrongSmtpOptions,
} from './smtp/smtp-settings.js'
