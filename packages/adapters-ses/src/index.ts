export { type SesIdentitiesOptions, sesIdentities } from './identities/ses-identities.js'
export { type SesMailerOptions, sesMailer } from './mailer/ses-mailer.js'
export type { ConnectionLimits } from './request-handler.js'
export type { AwsOptions, SesOptions } from './ses-client.js'
