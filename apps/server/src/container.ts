import {
  hitJournal,
  type LocallyCopiedFiles,
  locallyCopiedFiles,
  nodeSecrets,
  type SandboxProcesses,
  sandboxProcesses,
  systemSleep,
} from '@posthorn/adapters-node'
import { openMailOutbox, outboxPages } from '@posthorn/adapters-smtp'
import { type Core, type CorePorts, createCore, type Log } from '@posthorn/core'
import { accountLookup, outageLog, type Secrets } from '@posthorn/core/ports/runtime'
import { linkFolder } from '@posthorn/core/ports/storage'
import type { Mailer } from '@posthorn/core/ports/transport'
import type { HttpMetrics } from '@posthorn/http-express'
import type { Express } from 'express'
import { Container, type ServiceIdentifier } from 'inversify'
import { adapterPagesHandler } from './adapters/adapter-pages.js'
import { providerWebhooks } from './adapters/mail-in.js'
import { pinoLog } from './adapters/pino-log.js'
import { cloudFormationDocuments, type SesAdapters, sesAdapters, sesEventsEndpoint } from './adapters/ses.js'
import type { Config } from './config.js'
import { type DataDirectory, openDataDirectory } from './data-directory.js'
import { type LastBackupFailure, serverReports } from './doctor/server-reports.js'
import { backlogMetrics } from './metrics/backlog-metrics.js'
import { waitingHitMetrics } from './metrics/mail-metrics.js'
import { measuredPorts, type ServerMeters, serverMeters } from './metrics/server-metrics.js'
import { measuredStore } from './metrics/store-metrics.js'
import { openStore, type Store } from './store.js'
import { corePortsOf, type OpenedSending, openSending, publicUrlOf } from './wiring.js'

const token = <T>(name: string) => Symbol(name) as ServiceIdentifier<T>

export const tokens = {
  config: token<Config>('config'),
  dataDirectory: token<DataDirectory>('dataDirectory'),
  log: token<Log>('log'),
  /** Part of `log`; knows whether the store is unavailable. */
  outages: token<ReturnType<typeof outageLog>>('outages'),
  secrets: token<Secrets>('secrets'),
  store: token<Store>('store'),
  ses: token<SesAdapters | undefined>('ses'),
  sending: token<OpenedSending>('sending'),
  mailer: token<Mailer>('mailer'),
  sandboxProcesses: token<SandboxProcesses>('sandboxProcesses'),
  ports: token<CorePorts>('ports'),
  /** Undefined with a temporary store. */
  hitJournal: token<ReturnType<typeof hitJournal> | undefined>('hitJournal'),
  backupFailure: token<LastBackupFailure>('backupFailure'),
  linkCopies: token<LocallyCopiedFiles | undefined>('linkCopies'),
  core: token<Core>('core'),
  meters: token<ServerMeters>('meters'),
  metrics: token<HttpMetrics>('metrics'),
  app: token<Express>('app'),
  metricsApp: token<Express>('metricsApp'),
}

import 'reflect-metadata'

/** Commands do not load these modules. */
const loadApi = async () => ({ ...(await import('@posthorn/http-express')), ...(await import('./operator-access.js')) })

const mcpHandlerOf = async ({ mcp }: Pick<Config, 'mcp'>) =>
  mcp === 'off' ? undefined : (await import('@posthorn/mcp')).mcpOverHttp({ writes: mcp === 'write' })

/** Wires the server. The store and the applications open asynchronously: resolve them by `getAsync`. */
export const serverContainer = (config: Config): Container => {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(tokens.config).toConstantValue(config)
  container
    .bind(tokens.dataDirectory)
    .toResolvedValue(({ dataDir }, log) => openDataDirectory(dataDir, log), [tokens.config, tokens.log])
  container
    .bind(tokens.outages)
    .toResolvedValue(({ logLevel }) => outageLog(pinoLog(logLevel), systemSleep), [tokens.config])
  container.bind(tokens.log).toResolvedValue(({ log }) => log, [tokens.outages])
  container
    .bind(tokens.secrets)
    .toResolvedValue(
      ({ secrets }, data) => nodeSecrets(secrets ?? data.secrets()),
      [tokens.config, tokens.dataDirectory],
    )
  container.bind(tokens.backupFailure).toConstantValue({})
  container.bind(tokens.meters).toConstantValue(serverMeters())
  container.bind(tokens.store).toResolvedValue(
    async (config, data, outages, { registry }) => {
      const store = measuredStore(await openStore(config, data, outages.log), registry)
      outages.watch(store.ready)
      return store
    },
    [tokens.config, tokens.dataDirectory, tokens.outages, tokens.meters],
  )
  container
    .bind(tokens.linkCopies)
    .toResolvedValue(
      (config, { files }, { linkCopies: directory }, log, { hitMeter }) =>
        config.store === 'mongodb'
          ? locallyCopiedFiles({ files, below: linkFolder, directory, log, onRead: hitMeter.linksRead })
          : undefined,
      [tokens.config, tokens.store, tokens.dataDirectory, tokens.log, tokens.meters],
    )
  container
    .bind(tokens.hitJournal)
    .toResolvedValue(
      ({ store }, { hits: directory }) => (store === 'memory' ? undefined : hitJournal({ directory })),
      [tokens.config, tokens.dataDirectory],
    )
  container
    .bind(tokens.ses)
    .toResolvedValue(
      ({ ses }, log) => ses && sesAdapters(ses, () => container.getAsync(tokens.store), log),
      [tokens.config, tokens.log],
    )
  container
    .bind(tokens.sending)
    .toResolvedValue(openSending, [tokens.config, tokens.dataDirectory, tokens.log, tokens.ses])
  container.bind(tokens.mailer).toResolvedValue(({ mailer }) => mailer, [tokens.sending])
  container
    .bind(tokens.sandboxProcesses)
    .toResolvedValue(
      ({ repositories }) => sandboxProcesses({ accountOf: accountLookup(repositories.projects) }),
      [tokens.store],
    )
  container.bind(tokens.ports).toResolvedValue(
    (meters, copies, journal, data, failure, ...given: Parameters<typeof corePortsOf>) => ({
      ...measuredPorts(corePortsOf(...given), meters),
      serverReports: serverReports({ config: given[0], store: given[1], data, failure }),
      ...(copies && { files: copies }),
      hitJournal: journal,
    }),
    [
      tokens.meters,
      tokens.linkCopies,
      tokens.hitJournal,
      tokens.dataDirectory,
      tokens.backupFailure,
      tokens.config,
      tokens.store,
      tokens.sending,
      tokens.secrets,
      tokens.log,
      tokens.sandboxProcesses,
      tokens.ses,
    ],
  )
  container.bind(tokens.core).toResolvedValue(createCore, [tokens.ports])
  container.bind(tokens.metrics).toResolvedValue(
    async ({ worker, tracking }, { registry }, store, journal) => {
      const { httpMetrics, registerSendRateGauges } = await loadApi()
      const metrics = httpMetrics(registry)
      registerSendRateGauges(metrics, worker.rates)
      backlogMetrics(registry, { store })
      waitingHitMetrics(registry, { hits: tracking.waiting, journalBytes: () => journal?.bytes() ?? 0 })
      return metrics
    },
    [tokens.core, tokens.meters, tokens.store, tokens.hitJournal],
  )
  container.bind(tokens.app).toResolvedValue(
    async (core, config, { outbox }, { ready, counters, repositories }, metrics, log, ses, secrets) => {
      const { httpApp, operatorPagesAccess } = await loadApi()
      return httpApp({
        core,
        publicUrl: publicUrlOf(config),
        log,
        maxUpload: config.limits.upload,
        rateLimits: { api: config.requestRate },
        ...(config.trustProxy !== undefined && { trustProxy: config.trustProxy }),
        maxImport: config.limits.import,
        bodyLimits: {
          json: config.limits.body,
          withAttachments: config.limits.sendBody,
          bulk: config.limits.bulk,
        },
        ready,
        metrics,
        servesMetrics: config.metricsListener === undefined,
        operatorAccess: operatorPagesAccess(config, core, log),
        providerEvents: [
          (config.ses &&
            ses &&
            (await sesEventsEndpoint(config.ses, ses, core, { counters, repositories }, secrets, log))) ??
            [],
          await providerWebhooks(config.mailIn.providers, core, counters, log),
        ].flat(),
        documents: await cloudFormationDocuments(config.ses),
        mcp: await mcpHandlerOf(config),
        mount:
          config.smtp || config.ses
            ? []
            : [
                {
                  path: '/outbox',
                  handler: adapterPagesHandler(
                    outboxPages(openMailOutbox({ directory: outbox }), { campaigns: core.campaignReports.underWay }),
                  ),
                },
              ],
      })
    },
    [
      tokens.core,
      tokens.config,
      tokens.dataDirectory,
      tokens.store,
      tokens.metrics,
      tokens.log,
      tokens.ses,
      tokens.secrets,
    ],
  )
  container.bind(tokens.metricsApp).toResolvedValue(
    async (core, { allowedHosts, operatorPassword, metricsListener }, { ready }, metrics, log) => {
      const { metricsApp, operatorPagesAccess } = await loadApi()
      const { host = '' } = metricsListener ?? {}
      const asked = { host, publicUrl: undefined, trustProxy: undefined, allowedHosts, operatorPassword }
      return metricsApp({
        metrics,
        ready,
        notReady: core.notReady,
        operatorAccess: operatorPagesAccess(asked, core, log),
        log,
      })
    },
    [tokens.core, tokens.config, tokens.store, tokens.metrics, tokens.log],
  )
  return container
}
