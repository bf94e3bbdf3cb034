export type { LandingOptions } from './events/landing.js'
export { type OwnTopics, type SesEventsOptions, sesEvents } from './events/ses-events.js'
export { type SesQueue, type SesQueueOptions, sesQueue } from './events/ses-queue.js'
export { type SesIdentitiesOptions, sesIdentities } from './identities/ses-identities.js'
export { type SesMailer, type SesMailerOptions, sesMailer } from './mailer/ses-mailer.js'
export type { ThreadAnswer, ThreadQuestion } from './mailer/thread-questions.js'
export { type AccountIds, accountIds } from './own-accounts/account-ids.js'
export type { OwnAccountsOptions } from './own-accounts/credentials.js'
export {
  type OwnAccount,
  type OwnAccountMailers,
  type OwnAccountMailersOptions,
  ownAccountMailers,
} from './own-accounts/own-account-mailers.js'
export { sendingEventsTemplate, sendingRoleTemplate } from './own-accounts/role-template.js'
export { sesCloudAccount } from './own-accounts/ses-cloud-account.js'
export type { ConnectionLimits } from './request-handler.js'
export type { AwsOptions, SesOptions } from './ses-client.js'
