import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock, systemSleep } from '@posthorn/adapters-node'
import type { Core } from '@posthorn/core'
import type { Repositories } from '@posthorn/core/ports/storage'
import type { GuardOptions } from '@posthorn/http-express'
import type { Express } from 'express'
import type { Container } from 'inversify'
import { openMailIn } from './adapters/mail-in.js'
import { takeSesEvents } from './adapters/ses.js'
import { openSubmission } from './adapters/submission.js'
import type { Config } from './config.js'
import { serverContainer, tokens } from './container.js'
import { assertSharedSecret, type Store } from './store.js'
import type { Variable } from './variables.js'
import { publicUrlOf } from './wiring.js'

export type RunningServer = {
  readonly core: Core
  /** Undefined for a worker alone. */
  readonly base: string | undefined
  /** If metrics have a listener of their own. */
  readonly metricsBase: string | undefined
  readonly container: Container
  /** Refuses new requests, finishes mails in flight, stores their outcomes, closes mailer and store. */
  readonly stop: () => Promise<void>
}

/** In use, or not permitted to this user. */
export class UnusablePort extends Error {
  override readonly name = 'UnusablePort'
}

/** Returns other errors unchanged. */
const unusable = (
  error: NodeJS.ErrnoException,
  listener: Pick<Config, 'port' | 'host'> | undefined,
  variable: Variable,
): Error => {
  if (!listener || !['listen', 'getaddrinfo'].includes(error.syscall ?? '')) return error
  const reason =
    error.code === 'EADDRINUSE'
      ? 'is in use by another program'
      : error.code === 'EACCES'
        ? 'may not be used by this user'
        : `cannot be listened on (${error.message})`
  return new UnusablePort(`Port ${listener.port} of ${listener.host} ${reason}. Set ${variable} to another one.`)
}

const listen = (
  server: Server,
  { port, host }: Pick<Config, 'port' | 'host'>,
  variable: Variable = 'PORT',
): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(unusable(error, { port, host }, variable)))
    server.listen(port, host, () => resolve(server.address() as AddressInfo))
  })

/** @throws UnusablePort */
export const assertPortIsFree = async (
  config: Pick<Config, 'port' | 'host'>,
  variable: Variable = 'PORT',
): Promise<void> => {
  const probe = createServer()
  await listen(probe, config, variable)
  await new Promise((resolve) => probe.close(resolve))
}

/** Grace period of open requests, in ms. */
const patience = 5_000

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), patience).unref()
  })

/** The API waits this long for its worker, in ms; usually a fraction of that. */
const workerPatience = 2_000

export const baseOf = ({ host }: Pick<Config, 'host'>, { port }: Pick<Config, 'port'>): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Included in `connectionLimits`' reserve. */
const metricsConnections = { total: 20, perBlock: 20 }

/** Delays responses until the application exists. */
const waitingServer = async (guard: GuardOptions) => {
  const { guardServer, makeMessagesFor, serverOptions } = await import('@posthorn/http-express')
  let open: (app: Express) => void = () => {}
  const opened = new Promise<Express>((resolve) => {
    open = resolve
  })
  const classes = {
    IncomingMessage: class extends IncomingMessage {},
    ServerResponse: class extends ServerResponse {},
  }
  const http = guardServer(createServer({ ...serverOptions, ...classes }), guard)
  const waiting: RequestListener = (request, response) => void opened.then((app) => app(request, response))
  http.on('request', waiting)
  return {
    http,
    open: (app: Express): void => {
      makeMessagesFor(app, classes)
      open(app)
      http.off('request', waiting).on('request', app)
    },
  }
}

/** Undefined if none are configured. An API process only tells of them. */
const openBackups = async ({ backup, roles, secrets }: Config, container: Container, store: Store) => {
  const { schedule, passphrase } = backup
  if (!schedule) return undefined
  const { lastBackupAt, scheduleBackups } = await import('./backup/schedule.js')
  const { backupMetrics } = await import('./metrics/backup-metrics.js')
  const { failed } = backupMetrics(container.get(tokens.meters).registry, () => lastBackupAt(schedule.directory))
  if (!roles.has('worker')) return undefined
  const data = container.get(tokens.dataDirectory)
  const options = { data, secrets: secrets ?? data.secrets(), passphrase, clock: systemClock }
  return scheduleBackups({
    schedule,
    options,
    jobs: store.jobs,
    log: container.get(tokens.log),
    onFailure: failed,
  })
}

/**
 * Opens the port first, so that nothing is created if it is in use; early requests wait for `prepare`. @throws
 * UnusablePort, UnusableDataDirectory, OtherSecret, and errors of the store
 */
export const startServer = async (
  config: Config,
  prepare: (core: Core, repositories: Repositories) => Promise<void> = async () => {},
): Promise<RunningServer> => {
  const api = config.roles.has('api') ? await waitingServer(config) : undefined
  const metrics = config.metricsListener && (await waitingServer({ connections: metricsConnections }))
  const servers = [api, metrics].flatMap((one) => one?.http ?? [])
  let closing: () => Promise<void> = async () => {}
  try {
    const address = api && (await listen(api.http, config))
    const metricsAddress =
      metrics && config.metricsListener && (await listen(metrics.http, config.metricsListener, 'POSTHORN_METRICS_PORT'))
    const container = serverContainer({ ...config, port: address?.port ?? config.port })
    const store = await container.getAsync(tokens.store)
    closing = store.close
    if (config.store === 'mongodb') await assertSharedSecret(store.files, container.get(tokens.secrets))
    const core = container.get(tokens.core)
    const mailer = container.get(tokens.mailer)
    const listening = address && { ...config, port: address.port }
    if (listening) container.get(tokens.dataDirectory).notePublicUrl(publicUrlOf(listening))
    await prepare(core, store.repositories)
    const mailIn = await openMailIn(config.mailIn, config.roles, core, container.get(tokens.log)).catch((error) => {
      throw unusable(error, config.mailIn.listener, 'POSTHORN_BOUNCE_PORT')
    })
    closing = async () => {
      await mailIn.close()
      await store.close()
    }
    const log = container.get(tokens.log)
    const { submissionMeter } = container.get(tokens.meters)
    const submission = await openSubmission(config.submission, config.roles, core, log, submissionMeter).catch(
      (error) => {
        throw unusable(error, config.submission, 'POSTHORN_SUBMISSION_PORT')
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
        ...servers.map(closed),
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
      base: address && baseOf(config, address),
      metricsBase: config.metricsListener && metricsAddress && baseOf(config.metricsListener, metricsAddress),
      stop: () => {
        stopped ??= stop()
        return stopped
      },
    }
  } catch (error) {
    for (const http of servers) {
      http.close()
      http.closeAllConnections()
    }
    await closing()
    throw error
  }
}
