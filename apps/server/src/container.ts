import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import {
  dnsLookup,
  htmlToPlainText,
  httpEventPoster,
  httpFeedReader,
  mjmlRenderer,
  nodeSecrets,
  objectIds,
  siteverifyChallenge,
  svgCaptchaDrawing,
  systemClock,
  systemSleep,
} from '@posthorn/adapters-node'
import { openOutbox, outboxMailer, outboxPages, relayIdentities, smtpMailer } from '@posthorn/adapters-smtp'
import { anyDomain, type CorePorts, type CoreSettings, createCore, type Mailer, standardSettings } from '@posthorn/core'
import { httpApp } from '@posthorn/http-express'
import { Container } from 'inversify'
import { adapterPages } from './adapters/adapter-pages.js'
import { pinoLog } from './adapters/pino-log.js'
import type { Config } from './config.js'
import { type DataDirectory, openDataDirectory } from './data-directory.js'
import { openStore } from './store.js'
import { tokens } from './tokens.js'

const openMailer = ({ smtp }: Config, { outbox }: DataDirectory, log: CorePorts['log']): Mailer =>
  smtp ? smtpMailer({ ...smtp, log }) : outboxMailer({ directory: outbox, log })

/** Where recipients reach the server, if nothing else is said: this machine. */
const publicUrlOf = ({ publicUrl, port }: Config) => publicUrl ?? `http://localhost:${port}`

/** No two living processes share a name, on one machine or several. */
const workerName = () => `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`

const settingsOf = (config: Config): CoreSettings => ({
  ...standardSettings,
  publicUrl: publicUrlOf(config),
  regions: config.regions,
  challengeScriptUrl: config.challengeScriptUrl,
  mailRatePerSecond: config.mailRate,
  attachmentFiles: config.limits.attachmentFiles,
  attachmentBytes: config.limits.attachments,
  restriction: config.restriction,
  cloudSetup: { accountId: config.cloudAccountId, templateUrl: config.cloudTemplateUrl },
  workerName: workerName(),
})

/**
 * Wires the server: every adapter is chosen here, and nothing else knows the container. The store takes its time to open, so it is
 * the first to be asked for, by `getAsync`.
 */
export const serverContainer = (config: Config): Container => {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(tokens.config).toConstantValue(config)
  container.bind(tokens.dataDirectory).toResolvedValue(({ dataDir }) => openDataDirectory(dataDir), [tokens.config])
  container.bind(tokens.log).toResolvedValue(({ logLevel }) => pinoLog(logLevel), [tokens.config])
  container
    .bind(tokens.secrets)
    .toResolvedValue(
      ({ secrets }, data) => nodeSecrets(secrets ?? [data.secret()]),
      [tokens.config, tokens.dataDirectory],
    )
  container.bind(tokens.store).toResolvedValue(openStore, [tokens.config, tokens.dataDirectory, tokens.log])
  container.bind(tokens.mailer).toResolvedValue(openMailer, [tokens.config, tokens.dataDirectory, tokens.log])
  container.bind(tokens.ports).toResolvedValue(
    (
      config,
      { repositories, counters, deliveries, audience, figures, files, jobs },
      mailer,
      secrets,
      log,
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
      figures,
      files,
      jobs,
      mailer,
      feedReader: httpFeedReader({ allowPrivate: config.allowPrivateFeeds }),
      eventPoster: httpEventPoster({ allowPrivate: config.allowPrivateWebhooks }),
      plainText: htmlToPlainText,
      visualRenderer: mjmlRenderer(),
      dns: dnsLookup({ servers: config.dnsServers }),
      identities: relayIdentities({ relayDomain: config.relayDomain ?? new URL(publicUrlOf(config)).hostname }),
      domainVerified: config.verifyDomains ? undefined : anyDomain,
      drawCaptcha: svgCaptchaDrawing,
      verifyChallenge: siteverifyChallenge({ url: config.challengeVerifyUrl }),
      settings: settingsOf(config),
    }),
    [tokens.config, tokens.store, tokens.mailer, tokens.secrets, tokens.log],
  )
  container.bind(tokens.core).toResolvedValue(createCore, [tokens.ports])
  container.bind(tokens.app).toResolvedValue(
    (core, config, { outbox }, { ready }, log) =>
      httpApp({
        core,
        publicUrl: publicUrlOf(config),
        log,
        maxUpload: config.limits.upload,
        rateLimit: config.requestRate,
        bodyLimits: { json: config.limits.body, withAttachments: config.limits.sendBody },
        ready,
        mount: config.smtp
          ? []
          : [{ path: '/outbox', handler: adapterPages(outboxPages(openOutbox({ directory: outbox }))) }],
      }),
    [tokens.core, tokens.config, tokens.dataDirectory, tokens.store, tokens.log],
  )
  return container
}
