import type { TenantThreads } from '@posthorn/adapters-node'
import { outboxMailer, smtpMailer } from '@posthorn/adapters-smtp'
import { anyDomain, type CorePorts, type Log, serverMailer } from '@posthorn/core'
import { type Mailer, ownAccounts } from '@posthorn/core/ports'
import { type NodePortsOptions, nodePorts } from '@posthorn/embed'
import { namingMailer } from './adapters/mail-in.js'
import type { SesAdapters } from './adapters/ses.js'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'
import type { Store } from './store.js'

export const openMailer = (
  { smtp, mailIn: { providers } }: Config,
  { outbox }: Pick<DataDirectory, 'outbox'>,
  log: Log,
  ses: SesAdapters | undefined,
): Mailer =>
  ses?.mailer ??
  (smtp ? namingMailer(smtpMailer({ ...smtp, log }), providers) : outboxMailer({ directory: outbox, log }))

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
  bounceDomain: config.mailIn.domain,
  cloudSetup: { accountId: config.cloudAccountId, templateUrl: config.cloudTemplateUrl },
})

/** Every adapter that the configuration asks for: what the core needs of the world. */
export const portsOf = (
  config: Config,
  { repositories, counters, deliveries, dispatchResults, audience, contactSearch, roster, figures, files, jobs }: Store,
  mailer: Mailer,
  secrets: CorePorts['secrets'],
  log: Log,
  threads: TenantThreads,
  ses: SesAdapters | undefined,
): CorePorts => {
  const accessTo = ownAccounts({ repositories, secrets })
  const mailers = serverMailer(mailer, ses && (async (channel) => ses.ownMailer(await accessTo(channel))))
  return {
    ...nodePorts({
      repositories,
      counters,
      deliveries,
      dispatchResults,
      audience,
      contactSearch,
      roster,
      figures,
      files,
      jobs,
      mailers,
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
  }
}
