export type { EventHandlerOptions } from './events/event-handler.js'
export { type OwnTopics, type SesEventsOptions, sesEvents } from './events/ses-events.js'
export { type SesQueue, type SesQueueOptions, sesQueue } from './events/ses-queue.js'
export type { AwsOptions, HttpConnectionPoolLimits, SesOptions } from './http/sdk-client.js'
export { type SesIdentitiesOptions, sesIdentities } from './identities/ses-identities.js'
export { type SesMailer, type SesMailerOptions, sesMailer } from './mailer/ses-mailer.js'
export type { AnswerToSesThread, SesThreadQuestion } from './mailer/thread-mailer.js'
export {
  cloudFormationEventsTemplate,
  cloudFormationRoleTemplate,
  sesCloudAccount,
} from './own-accounts/cloud-account.js'
export type { OwnAccountsOptions } from './own-accounts/credentials.js'
export { type AwsAccountOf, awsAccountLookup } from './own-accounts/credentials.js'
export {
  type OwnAccountMailers,
  type OwnAccountMailersOptions,
  type OwnSesAccount,
  ownAccountMailers,
} from './own-accounts/own-account-mailers.js'
