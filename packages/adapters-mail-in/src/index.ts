export { assertImapClient, type MailboxReader, mailboxReader, mailboxUrl } from './mailbox/mailbox-reader.js'
export { brevoEvents, brevoReferenceHeaderFor } from './providers/brevo.js'
export { mailgunEvents, mailgunReferenceHeaderFor } from './providers/mailgun.js'
export { postmarkEvents, postmarkReferenceHeaderFor } from './providers/postmark.js'
export type { ProviderRequestHeaders } from './providers/provider.js'
export { sendgridEvents, sendgridPublicKey, sendgridReferenceHeaderFor } from './providers/sendgrid.js'
export { type ClassifiedReturnedMail, type ReturnAddressPurpose, readReturned } from './returned/returned-message.js'
export { type BounceServerLimits, type BounceServerOptions, bounceServer } from './server/bounce-server.js'
export {
  type SubmissionLimits,
  type SubmissionMeter,
  type SubmissionServer,
  type SubmissionServerOptions,
  submissionServer,
} from './submission/submission-server.js'
