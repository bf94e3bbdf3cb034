import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Core } from '@posthorn/core'
import type { Container } from 'inversify'
import type { Config } from './config.js'
import { serverContainer } from './container.js'
import { tokens } from './tokens.js'

export type RunningServer = {
  readonly core: Core
  /** Where it answers, on this machine; undefined for a worker alone. */
  readonly base: string | undefined
  readonly container: Container
  /** Ends in order: no new requests, what is being sent is finished and recorded, then mailer and store are closed. */
  readonly stop: () => Promise<void>
}

/** The port is taken, or may not be used by this user. */
export class UnusablePort extends Error {
  override readonly name = 'UnusablePort'
}

const listen = (server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason =
        code === 'EADDRINUSE'
          ? 'is in use by another program'
          : code === 'EACCES'
            ? 'may not be used by this user'
            : `cannot be listened on (${message})`
      reject(new UnusablePort(`Port ${port} of ${host} ${reason}. Set PORT to another one.`))
    })
    server.listen(port, host, () => resolve(server.address() as AddressInfo))
  })

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })

/** Starts what the configuration's roles ask for. @throws UnusablePort, UnusableDataDirectory, or what the store says of itself */
export const startServer = async (config: Config): Promise<RunningServer> => {
  const container = serverContainer(config)
  const core = container.get(tokens.core)
  const store = container.get(tokens.store)
  const mailer = container.get(tokens.mailer)
  const closeAll = async () => {
    await mailer.close()
    await store.close()
  }

  const http = config.roles.has('api') ? createServer(container.get(tokens.app)) : undefined
  const address =
    http &&
    (await listen(http, config).catch(async (error) => {
      await closeAll()
      throw error
    }))
  if (config.roles.has('worker')) await core.worker.start()

  let stopped: Promise<void> | undefined
  const stop = async () => {
    if (http) await closed(http)
    await core.worker.stop()
    await closeAll()
  }
  return {
    core,
    base:
      address &&
      `http://${config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host}:${address.port}`,
    container,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}
