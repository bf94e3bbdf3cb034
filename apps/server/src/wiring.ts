import { type SandboxProcesses, type SendingThread, sendingThread } from '@posthorn/adapters-node'
import { oidcProvider } from '@posthorn/adapters-oidc'
import { type MailerInThreadOptions, outboxMailer, smtpMailer, smtpThreadModule } from '@posthorn/adapters-smtp'
import { allowAnySenderDomain, type CorePorts, type Log, serverMailer } from '@posthorn/core'
import { storePortsOf } from '@posthorn/core/ports/storage'
import { type Mailer, ownAccountLookup } from '@posthorn/core/ports/transport'
import { type NodePortsOptions, nodePorts } from '@posthorn/embed'
import { hasMailProviderSecret, providerReferenceHeaders } from './adapters/mail-in.js'
import type { SesAdapters } from './adapters/ses.js'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'
import type { Store } from './store.js'

export const openMailer = (
  { smtp }: Pick<Config, 'smtp'>,
  { outbox }: Pick<DataDirectory, 'outbox'>,
  log: Log,
  ses: SesAdapters | undefined,
): Mailer => ses?.mailer ?? (smtp ? smtpMailer({ ...smtp, log }) : outboxMailer({ directory: outbox, log }))

export type OpenedSending = Pick<SendingThread, 'mailer'> & Partial<SendingThread>

const inThread = ({ smtp, mailIn }: Config, ses: SesAdapters | undefined) => {
  if (ses) return ses.inThread
  return (
    smtp && {
      module: smtpThreadModule,
      options: async (): Promise<MailerInThreadOptions> => ({
        smtp,
        headerTemplates: await providerReferenceHeaders(mailIn.providers),
      }),
    }
  )
}

/** Relay and SES mails are rendered and sent in a thread of their own; outbox and own accounts in this one. */
export const openSending = (
  config: Config,
  data: Pick<DataDirectory, 'outbox' | 'secrets'>,
  log: Log,
  ses: SesAdapters | undefined,
): OpenedSending => {
  const mailer = openMailer(config, data, log, ses)
  const thread = inThread(config, ses)
  if (!thread) return { mailer }
  const { mailIn, secrets } = config
  return sendingThread({
    ...thread,
    // Mails compiled here and sent by the other thread also carry their reference.
    mailer: { ...mailer, tellsReference: hasMailProviderSecret(mailIn.providers) },
    secrets: secrets ?? data.secrets(),
    settings: { publicUrl: publicUrlOf(config), bounceDomain: mailIn.domain },
    log,
  })
}

/** For recipients; default: this machine's. */
export const publicUrlOf = ({ publicUrl, port, tls }: Pick<Config, 'publicUrl' | 'port' | 'tls'>): string =>
  publicUrl ?? `${tls ? 'https' : 'http'}://localhost:${port}`

const settingsOf = (config: Config): NodePortsOptions['settings'] => ({
  publicUrl: publicUrlOf(config),
  regions: config.regions,
  identityProvider: config.oidc,
  mailsLinks: config.smtp !== undefined || config.ses !== undefined,
  browserAccess: config.browserAccess,
  limits: config.projectLimits,
  challengeScriptUrl: config.challengeScriptUrl,
  challengeCost: config.challengeCost,
  mailRatePerSecond: config.mailRate,
  attachmentFiles: config.limits.attachmentFiles,
  attachmentBytes: config.limits.attachments,
  restriction: config.restriction,
  retention: config.retention,
  bounceDomain: config.mailIn.domain,
  cloudSetup: {
    accountId: config.cloudAccountId,
    templateUrl: config.cloudTemplateUrl,
    eventsUrl: config.ses?.eventsUrl?.startsWith('https:') ? config.ses.eventsUrl : undefined,
  },
})

export const corePortsOf = (
  config: Config,
  store: Store,
  { mailer, renderAndSend }: OpenedSending,
  secrets: CorePorts['secrets'],
  log: Log,
  processes: SandboxProcesses,
  ses: SesAdapters | undefined,
): CorePorts => {
  const accessTo = ownAccountLookup({ repositories: store.repositories, secrets })
  const mailers = serverMailer(mailer, ses && (async (channel) => ses.ownMailer(await accessTo(channel))))
  return {
    ...nodePorts({
      ...storePortsOf(store),
      files: store.files,
      jobs: store.jobs,
      mailers,
      secrets,
      log,
      processes,
      relayDomain: config.relayDomain,
      dnsServers: config.dnsServers,
      challengeVerifyUrl: config.challengeVerifyUrl,
      allowPrivate: { feeds: config.allowPrivateFeeds, webhooks: config.allowPrivateWebhooks },
      settings: settingsOf(config),
    }),
    ...(renderAndSend && { renderAndSend }),
    // It loads its library at the first sign-in.
    identityProvider: config.oidc && oidcProvider(config.oidc),
    ...(ses && { identities: ses.identities, cloudAccount: ses.cloudAccount }),
    domainVerified: config.verifyDomains ? undefined : allowAnySenderDomain,
  }
}
