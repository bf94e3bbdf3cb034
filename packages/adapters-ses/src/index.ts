export { type OwnTopics, sesEvents } from './events/ses-events.js'
export { sesQueue } from './events/ses-queue.js'
export type { HttpConnectionPoolLimits, SesOptions } from './http/sdk-client.js'
export { sesIdentities } from './identities/ses-identities.js'
export { type SesMailerOptions, sesMailer } from './mailer/ses-mailer.js'
export type { SesThreadQuestion } from './mailer/thread-mailer.js'
export {
  cloudFormationEventsTemplate,
  cloudFormationRoleTemplate,
  sesCloudAccount,
} from './own-accounts/cloud-account.js'
export { awsAccountLookup } from './own-accounts/credentials.js'
export { type OwnAccountMailersOptions, ownAccountMailers } from './own-accounts/own-account-mailers.js'
