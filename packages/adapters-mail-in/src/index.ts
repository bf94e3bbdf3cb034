export type { MailInOptions } from './mail-ingest.js'
export {
  assertImapClient,
  type MailboxReader,
  type MailboxReaderOptions,
  type MailboxSettings,
  mailboxReader,
  mailboxUrl,
  WrongMailboxUrl,
} from './mailbox/mailbox-reader.js'
export { brevoEvents, brevoReferenceHeader } from './providers/brevo.js'
export { type MailgunOptions, mailgunEvents, mailgunHeader } from './providers/mailgun.js'
export { postmarkEvents, postmarkHeader } from './providers/postmark.js'
export type { PostedHeaders, ProviderOptions, ProviderWebhook } from './providers/provider.js'
export { sendgridEvents, sendgridHeader, sendgridKey } from './providers/sendgrid.js'
export type { DeliveryOutcome, DeliveryStatusReport } from './returned/delivery-status.js'
export type { Feedback } from './returned/feedback-report.js'
export { type ReturnAddressPurpose, type ReturnedMessage, readReturned } from './returned/returned-message.js'
export {
  type BounceServer,
  type BounceServerLimits,
  type BounceServerOptions,
  bounceServer,
  standardBounceLimits,
} from './server/bounce-server.js'
export {
  type SubmissionLimits,
  type SubmissionMeter,
  type SubmissionServer,
  type SubmissionServerOptions,
  standardSubmissionLimits,
  submissionServer,
} from './submission/submission-server.js'
