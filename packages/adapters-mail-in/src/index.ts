export type { MailIngestOptions } from './mail-ingest.js'
export {
  assertImapClient,
  type MailboxReader,
  type MailboxReaderOptions,
  type MailboxSettings,
  mailboxReader,
  mailboxUrl,
  WrongMailboxUrl,
} from './mailbox/mailbox-reader.js'
export { brevoEvents, brevoReferenceHeaderFor } from './providers/brevo.js'
export { type MailgunOptions, mailgunEvents, mailgunReferenceHeaderFor } from './providers/mailgun.js'
export { postmarkEvents, postmarkReferenceHeaderFor } from './providers/postmark.js'
export type { MailProviderOptions, ProviderRequestHeaders, ProviderWebhook } from './providers/provider.js'
export { sendgridEvents, sendgridPublicKey, sendgridReferenceHeaderFor } from './providers/sendgrid.js'
export type { DeliveryStatusReport, ReportedDeliveryOutcome } from './returned/delivery-status.js'
export type { FeedbackReport } from './returned/feedback-report.js'
export { type ClassifiedReturnedMail, type ReturnAddressPurpose, readReturned } from './returned/returned-message.js'
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
