import type { TenantThreads } from '@posthorn/adapters-node'
import { outboxMailer, smtpMailer } from '@posthorn/adapters-smtp'
import { anyDomain, type CorePorts, type Log, type Mailer } from '@posthorn/core'
import { type NodePortsOptions, nodePorts } from '@posthorn/embed'
import type { SesAdapters } from './adapters/ses.js'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'
import type { Store } from './store.js'

export const openMailer = (
  { smtp }: Config,
  { outbox }: Pick<DataDirectory, 'outbox'>,
  log: Log,
  ses: SesAdapters | undefined,
): Mailer => ses?.mailer ?? (smtp ? smtpMailer({ ...smtp, log }) : outboxMailer({ directory: outbox, log }))

/** Where recipients reach the server, if nothing else is said: this machine. */
export const publicUrlOf = ({ publicUrl, port }: Config): string => publicUrl ?? `http://localhost:${port}`

const settingsOf = (config: Config): NodePortsOptions['settings'] => ({
  publicUrl: publicUrlOf(config),
  regions: config.regions,
  browserAccess: config.browserAccess,
  challengeScriptUrl: config.challengeScriptUrl,
  challengeCost: config.challengeCost,
  mailRatePerSecond: config.mailRate,
  attachmentFiles: config.limits.attachmentFiles,
  attachmentBytes: config.limits.attachments,
  restriction: config.restriction,
  cloudSetup: { accountId: config.cloudAccountId, templateUrl: config.cloudTemplateUrl },
})

/** Every adapter that the configuration asks for: what the core needs of the world. */
export const portsOf = (
  config: Config,
  { repositories, counters, deliveries, audience, contactSearch, roster, figures, files, jobs }: Store,
  mailer: Mailer,
  secrets: CorePorts['secrets'],
  log: Log,
  threads: TenantThreads,
  ses: SesAdapters | undefined,
): CorePorts => ({
  ...nodePorts({
    repositories,
    counters,
    deliveries,
    audience,
    contactSearch,
    roster,
    figures,
    files,
    jobs,
    mailer,
    secrets,
    log,
    threads,
    relayDomain: config.relayDomain,
    dnsServers: config.dnsServers,
    challengeVerifyUrl: config.challengeVerifyUrl,
    allowPrivate: { feeds: config.allowPrivateFeeds, webhooks: config.allowPrivateWebhooks },
    settings: settingsOf(config),
  }),
  ...(ses && { identities: ses.identities, cloudAccount: ses.cloudAccount }),
  domainVerified: config.verifyDomains ? undefined : anyDomain,
})
