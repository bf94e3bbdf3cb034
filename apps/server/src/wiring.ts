import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import {
  dnsLookup,
  htmlToPlainText,
  httpEventPoster,
  httpFeedReader,
  mjmlRenderer,
  objectIds,
  siteverifyChallenge,
  svgCaptchaDrawing,
  systemClock,
  systemSleep,
  type TenantThreads,
  templateTrial,
} from '@posthorn/adapters-node'
import { outboxMailer, relayIdentities, smtpMailer } from '@posthorn/adapters-smtp'
import { anyDomain, type CorePorts, type CoreSettings, type Log, type Mailer, standardSettings } from '@posthorn/core'
import type { Config } from './config.js'
import type { DataDirectory } from './data-directory.js'
import type { Store } from './store.js'

export const openMailer = ({ smtp }: Config, { outbox }: Pick<DataDirectory, 'outbox'>, log: Log): Mailer =>
  smtp ? smtpMailer({ ...smtp, log }) : outboxMailer({ directory: outbox, log })

/** Where recipients reach the server, if nothing else is said: this machine. */
export const publicUrlOf = ({ publicUrl, port }: Config): string => publicUrl ?? `http://localhost:${port}`

/** No two living processes share a name, on one machine or several. */
const workerName = () => `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`

const settingsOf = (config: Config): CoreSettings => ({
  ...standardSettings,
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
  workerName: workerName(),
})

/** Every adapter that the configuration asks for: what the core needs of the world. */
export const portsOf = (
  config: Config,
  { repositories, counters, deliveries, audience, contactSearch, figures, files, jobs }: Store,
  mailer: Mailer,
  secrets: CorePorts['secrets'],
  log: Log,
  threads: TenantThreads,
): CorePorts => ({
  clock: systemClock,
  sleep: systemSleep,
  newId: objectIds(systemClock),
  secrets,
  log,
  repositories,
  counters,
  deliveries,
  audience,
  contactSearch,
  figures,
  files,
  jobs,
  mailer,
  feedReader: httpFeedReader(threads, { allowPrivate: config.allowPrivateFeeds }),
  eventPoster: httpEventPoster({ allowPrivate: config.allowPrivateWebhooks }),
  plainText: htmlToPlainText(threads),
  templateTrial: templateTrial(threads),
  visualRenderer: mjmlRenderer(threads),
  dns: dnsLookup({ servers: config.dnsServers }),
  identities: relayIdentities({ relayDomain: config.relayDomain ?? new URL(publicUrlOf(config)).hostname }),
  domainVerified: config.verifyDomains ? undefined : anyDomain,
  drawCaptcha: svgCaptchaDrawing,
  verifyChallenge: siteverifyChallenge({ url: config.challengeVerifyUrl }),
  settings: settingsOf(config),
})
