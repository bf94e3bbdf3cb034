import { systemClock, systemSleep } from '@posthorn/adapters-node'
import type { Core } from '@posthorn/core'
import type { Repositories } from '@posthorn/core/ports/storage'
import type { Container } from 'inversify'
import { openIncomingMail } from './adapters/mail-in.js'
import { pinoLog } from './adapters/pino-log.js'
import { takeSesEvents } from './adapters/ses.js'
import { startSubmissionServer } from './adapters/submission.js'
import type { Config } from './config.js'
import { serverContainer, tokens } from './container.js'
import { clockSetBackWarning } from './data-directory.js'
import { explainUnusablePort, listen, listenerBaseUrl, requestHoldingServer } from './listening.js'
import { markServerRunning, sharedDirectoryWarning } from './running-servers.js'
import { assertSecretOfStore, type Store } from './store.js'
import { publicUrlOf } from './wiring.js'

export type StartedServer = {
  readonly core: Core
  /** Undefined for a worker alone. */
  readonly base: string | undefined
  /** If metrics have a listener of their own. */
  readonly metricsBase: string | undefined
  readonly container: Container
  /** Refuses new requests, finishes mails in flight, stores their outcomes, closes mailer and store. */
  readonly stop: () => Promise<void>
}

/** The API waits this long for its worker, in ms; usually a fraction of that. */
const workerPatience = 2_000

/** Included in `connectionLimits`' reserve. */
const metricsConnections = { total: 20, perBlock: 20 }

/** Undefined if none are configured. An API process only tells of them. */
const openBackups = async ({ backup, roles, secrets }: Config, container: Container, store: Store) => {
  const { schedule, passphrase } = backup
  if (!schedule) return undefined
  const { lastBackupAt, scheduleBackups } = await import('./backup/schedule.js')
  const { backupMetrics } = await import('./metrics/server-metrics.js')
  const { failed } = backupMetrics(container.get(tokens.meters).registry, () => lastBackupAt(schedule.directory))
  if (!roles.has('worker')) return undefined
  const data = container.get(tokens.dataDirectory)
  const options = { data, secrets: secrets ?? data.secrets(), passphrase, clock: systemClock }
  return scheduleBackups({
    schedule,
    options,
    jobs: store.jobs,
    log: container.get(tokens.log),
    onFailure: (error) => {
      failed()
      const message = error instanceof Error ? error.message : String(error)
      Object.assign(container.get(tokens.backupFailure), { at: systemClock(), message })
    },
  })
}

/** The store, which ends the mark of this server when it is closed. Warns of servers on the same directory. */
const marked = async ({ dataDir, roles }: Config, container: Container, store: Store): Promise<Store> => {
  const { others, close } = await markServerRunning(container.get(tokens.dataDirectory).servers, roles, systemClock())
  const warning = sharedDirectoryWarning(dataDir, roles, others)
  if (warning !== undefined) container.get(tokens.log)('warn', warning)
  return {
    ...store,
    close: async () => {
      await store.close()
      close()
    },
  }
}

/**
 * Opens the port first: if it is in use, nothing is created. Early requests wait for `prepare`.
 * @throws UnusablePort, UnusableCertificate, UnusableDataDirectory, StoreSecretMismatch, and errors of the store
 */
export const startServer = async (
  config: Config,
  prepare: (core: Core, repositories: Repositories) => Promise<void> = async () => {},
): Promise<StartedServer> => {
  const startLog = pinoLog(config.logLevel)
  const api = config.roles.has('api') ? await requestHoldingServer(config, config.tls, startLog) : undefined
  const metrics =
    config.metricsListener && (await requestHoldingServer({ connections: metricsConnections }, undefined, startLog))
  const servers = [api, metrics].flatMap((one) => one ?? [])
  let closing: () => Promise<void> = async () => {}
  try {
    const address = api && (await listen(api.http, config))
    const metricsAddress =
      metrics && config.metricsListener && (await listen(metrics.http, config.metricsListener, 'POSTHORN_METRICS_PORT'))
    const container = serverContainer({ ...config, port: address?.port ?? config.port })
    const setBack = config.store === 'sqlite' ? clockSetBackWarning(config.dataDir, systemClock()) : undefined
    if (setBack !== undefined) startLog('warn', setBack)
    const opened = await container.getAsync(tokens.store)
    const store = config.store === 'sqlite' ? await marked(config, container, opened) : opened
    closing = store.close
    if (config.store === 'mongodb') await assertSecretOfStore(store.files, container.get(tokens.secrets))
    const core = container.get(tokens.core)
    const mailer = container.get(tokens.mailer)
    const listening = address && { ...config, port: address.port }
    if (listening) container.get(tokens.dataDirectory).notePublicUrl(publicUrlOf(listening))
    await prepare(core, store.repositories)
    const mailIn = await openIncomingMail(config.mailIn, config.roles, core, container.get(tokens.log)).catch(
      (error) => {
        throw explainUnusablePort(error, config.mailIn.listener, 'POSTHORN_BOUNCE_PORT')
      },
    )
    closing = async () => {
      await mailIn.close()
      await store.close()
    }
    const log = container.get(tokens.log)
    const { submissionMeter } = container.get(tokens.meters)
    const submission = await startSubmissionServer(config.submission, config.roles, core, log, submissionMeter).catch(
      (error) => {
        throw explainUnusablePort(error, config.submission, 'POSTHORN_SUBMISSION_PORT')
      },
    )
    closing = async () => {
      await Promise.all([mailIn.close(), submission?.close()])
      await store.close()
    }
    const backups = await openBackups(config, container, store)
    core.clocks.start()
    // With an unavailable store the worker starts later; until then `/readyz` reports not ready.
    if (config.roles.has('worker')) {
      const started = core.worker.start().catch((error: unknown) => log('error', 'The worker cannot start', { error }))
      await Promise.race([started, systemSleep(workerPatience)])
    }
    core.tracking.start()
    const copies = await container.getAsync(tokens.linkCopies)
    if (api) copies?.start()
    const events = config.roles.has('worker') ? await takeSesEvents(config.ses, core, store.counters, log) : undefined
    api?.open(await container.getAsync(tokens.app))
    metrics?.open(await container.getAsync(tokens.metricsApp))

    const stop = async () => {
      backups?.stop()
      await Promise.all([
        ...servers.map((server) => server.close()),
        mailIn.close(),
        submission?.close(),
        core.worker.stop(),
        events?.close(),
      ])
      await core.tracking.close()
      await copies?.stop()
      await (await container.getAsync(tokens.sandboxProcesses)).close()
      await mailer.close()
      core.clocks.stop()
      container.get(tokens.outages).close()
      await store.close()
    }
    let stopped: Promise<void> | undefined
    return {
      core,
      container,
      base: address && listenerBaseUrl(config, address, config.tls),
      metricsBase: config.metricsListener && metricsAddress && listenerBaseUrl(config.metricsListener, metricsAddress),
      stop: () => {
        stopped ??= stop()
        return stopped
      },
    }
  } catch (error) {
    for (const server of servers) server.abort()
    await closing()
    throw error
  }
}
