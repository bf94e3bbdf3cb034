import {
  hitJournal,
  type LocalFileCopies,
  localFileCopies,
  nodeSecrets,
  type SandboxProcesses,
  sandboxProcesses,
  systemSleep,
} from '@posthorn/adapters-node'
import { openOutbox, outboxPages } from '@posthorn/adapters-smtp'
import { type Core, type CorePorts, createCore, type Log } from '@posthorn/core'
import { accountLookup, outageLog, type Secrets } from '@posthorn/core/ports/runtime'
import { linkFolder } from '@posthorn/core/ports/storage'
import type { Mailer } from '@posthorn/core/ports/transport'
import type { HttpMetrics } from '@posthorn/http-express'
import type { Express } from 'express'
import { Container, type ServiceIdentifier } from 'inversify'
import { adapterPages } from './adapters/adapter-pages.js'
import { providerWebhooks } from './adapters/mail-in.js'
import { pinoLog } from './adapters/pino-log.js'
import { cloudFormationDocuments, type SesAdapters, sesAdapters, sesEventsPage } from './adapters/ses.js'
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

export const containerTokens = {
  config: token<Config>('config'),
  dataDirectory: token<DataDirectory>('dataDirectory'),
  log: token<Log>('log'),
  /** Part of `log`; knows whether the store is unavailable. */
  outages: token<ReturnType<typeof outageLog>>('outages'),
  secrets: token<Secrets>('secrets'),
  store: token<Store>('store'),
  /** Undefined if another mailer is configured. */
  ses: token<SesAdapters | undefined>('ses'),
  sending: token<OpenedSending>('sending'),
  mailer: token<Mailer>('mailer'),
  sandboxProcesses: token<SandboxProcesses>('sandboxProcesses'),
  ports: token<CorePorts>('ports'),
  /** Undefined with a temporary store. */
  hitJournal: token<ReturnType<typeof hitJournal> | undefined>('hitJournal'),
  backupFailure: token<LastBackupFailure>('backupFailure'),
  linkCopies: token<LocalFileCopies | undefined>('linkCopies'),
  core: token<Core>('core'),
  meters: token<ServerMeters>('meters'),
  metrics: token<HttpMetrics>('metrics'),
  app: token<Express>('app'),
  metricsApp: token<Express>('metricsApp'),
}

import 'reflect-metadata'

/** Commands do not load these modules. */
const loadApi = async () => ({ ...(await import('@posthorn/http-express')), ...(await import('./operator-access.js')) })

/** Undefined if the operator turned it off. */
const mcpHandlerOf = async ({ mcp }: Pick<Config, 'mcp'>) =>
  mcp === 'off' ? undefined : (await import('@posthorn/mcp')).mcpOverHttp({ writes: mcp === 'write' })

/** Wires the server. The store and the applications open asynchronously: resolve them by `getAsync`. */
export const serverContainer = (config: Config): Container => {
  const container = new Container({ defaultScope: 'Singleton' })
  container.bind(containerTokens.config).toConstantValue(config)
  container
    .bind(containerTokens.dataDirectory)
    .toResolvedValue(
      ({ dataDir }, log) => openDataDirectory(dataDir, log),
      [containerTokens.config, containerTokens.log],
    )
  container
    .bind(containerTokens.outages)
    .toResolvedValue(({ logLevel }) => outageLog(pinoLog(logLevel), systemSleep), [containerTokens.config])
  container.bind(containerTokens.log).toResolvedValue(({ log }) => log, [containerTokens.outages])
  container
    .bind(containerTokens.secrets)
    .toResolvedValue(
      ({ secrets }, data) => nodeSecrets(secrets ?? data.secrets()),
      [containerTokens.config, containerTokens.dataDirectory],
    )
  container.bind(containerTokens.backupFailure).toConstantValue({})
  container.bind(containerTokens.meters).toConstantValue(serverMeters())
  container.bind(containerTokens.store).toResolvedValue(
    async (config, data, outages, { registry }) => {
      const store = measuredStore(await openStore(config, data, outages.log), registry)
      outages.watch(store.ready)
      return store
    },
    [containerTokens.config, containerTokens.dataDirectory, containerTokens.outages, containerTokens.meters],
  )
  container
    .bind(containerTokens.linkCopies)
    .toResolvedValue(
      (config, { files }, { linkCopies: directory }, log, { hitMeter }) =>
        config.store === 'mongodb'
          ? localFileCopies({ files, below: linkFolder, directory, log, onRead: hitMeter.linksRead })
          : undefined,
      [
        containerTokens.config,
        containerTokens.store,
        containerTokens.dataDirectory,
        containerTokens.log,
        containerTokens.meters,
      ],
    )
  container
    .bind(containerTokens.hitJournal)
    .toResolvedValue(
      ({ store }, { hits: directory }) => (store === 'memory' ? undefined : hitJournal({ directory })),
      [containerTokens.config, containerTokens.dataDirectory],
    )
  container
    .bind(containerTokens.ses)
    .toResolvedValue(
      ({ ses }, log) => ses && sesAdapters(ses, () => container.getAsync(containerTokens.store), log),
      [containerTokens.config, containerTokens.log],
    )
  container
    .bind(containerTokens.sending)
    .toResolvedValue(openSending, [
      containerTokens.config,
      containerTokens.dataDirectory,
      containerTokens.log,
      containerTokens.ses,
    ])
  container.bind(containerTokens.mailer).toResolvedValue(({ mailer }) => mailer, [containerTokens.sending])
  container
    .bind(containerTokens.sandboxProcesses)
    .toResolvedValue(
      ({ repositories }) => sandboxProcesses({ accountOf: accountLookup(repositories.projects) }),
      [containerTokens.store],
    )
  container.bind(containerTokens.ports).toResolvedValue(
    (meters, copies, journal, data, failure, ...given: Parameters<typeof corePortsOf>) => ({
      ...measuredPorts(corePortsOf(...given), meters),
      serverReports: serverReports({ config: given[0], store: given[1], data, failure }),
      ...(copies && { files: copies }),
      hitJournal: journal,
    }),
    [
      containerTokens.meters,
      containerTokens.linkCopies,
      containerTokens.hitJournal,
      containerTokens.dataDirectory,
      containerTokens.backupFailure,
      containerTokens.config,
      containerTokens.store,
      containerTokens.sending,
      containerTokens.secrets,
      containerTokens.log,
      containerTokens.sandboxProcesses,
      containerTokens.ses,
    ],
  )
  container.bind(containerTokens.core).toResolvedValue(createCore, [containerTokens.ports])
  container.bind(containerTokens.metrics).toResolvedValue(
    async ({ worker, tracking }, { registry }, store, journal) => {
      const { httpMetrics, registerSendRateGauges } = await loadApi()
      const metrics = httpMetrics(registry)
      registerSendRateGauges(metrics, worker.rates)
      backlogMetrics(registry, { store })
      waitingHitMetrics(registry, { hits: tracking.waiting, journalBytes: () => journal?.bytes() ?? 0 })
      return metrics
    },
    [containerTokens.core, containerTokens.meters, containerTokens.store, containerTokens.hitJournal],
  )
  container.bind(containerTokens.app).toResolvedValue(
    async (core, config, { outbox }, { ready, counters, repositories }, metrics, log, ses, secrets) => {
      const { httpApp, operatorAccessTo } = await loadApi()
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
        operatorAccess: operatorAccessTo(config, core, log),
        providerEvents: [
          (config.ses &&
            ses &&
            (await sesEventsPage(config.ses, ses, core, { counters, repositories }, secrets, log))) ??
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
                  handler: adapterPages(
                    outboxPages(openOutbox({ directory: outbox }), { campaigns: core.campaignReports.underWay }),
                  ),
                },
              ],
      })
    },
    [
      containerTokens.core,
      containerTokens.config,
      containerTokens.dataDirectory,
      containerTokens.store,
      containerTokens.metrics,
      containerTokens.log,
      containerTokens.ses,
      containerTokens.secrets,
    ],
  )
  container.bind(containerTokens.metricsApp).toResolvedValue(
    async (core, { allowedHosts, operatorPassword, metricsListener }, { ready }, metrics, log) => {
      const { metricsApp, operatorAccessTo } = await loadApi()
      const { host = '' } = metricsListener ?? {}
      const asked = { host, publicUrl: undefined, trustProxy: undefined, allowedHosts, operatorPassword }
      return metricsApp({
        metrics,
        ready,
        notReady: core.notReady,
        operatorAccess: operatorAccessTo(asked, core, log),
        log,
      })
    },
    [containerTokens.core, containerTokens.config, containerTokens.store, containerTokens.metrics, containerTokens.log],
  )
  return container
}
