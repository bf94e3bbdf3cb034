import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificate } from '@posthorn/adapters-mail-in/certificate'
import type { Log } from '@posthorn/core'
import type { ServerGuardOptions } from '@posthorn/http-express'
import type { Express } from 'express'
import type { Config } from './config.js'
import type { ConfigVariableName } from './variables.js'

/** In use, or not permitted to this user. */
export class UnusablePort extends Error {
  override readonly name = 'UnusablePort'
}

/** Returns other errors unchanged. */
export const explainUnusablePort = (
  error: NodeJS.ErrnoException,
  listener: Pick<Config, 'port' | 'host'> | undefined,
  variable: ConfigVariableName,
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

/** @throws UnusablePort */
export const listen = (
  server: Server,
  { port, host }: Pick<Config, 'port' | 'host'>,
  variable: ConfigVariableName = 'PORT',
): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainUnusablePort(error, { port, host }, variable)))
    server.listen(port, host, () => resolve(server.address() as AddressInfo))
  })

/** @throws UnusablePort */
export const assertPortIsFree = async (
  config: Pick<Config, 'port' | 'host'>,
  variable: ConfigVariableName = 'PORT',
): Promise<void> => {
  const probe = createServer()
  await listen(probe, config, variable)
  await new Promise((resolve) => probe.close(resolve))
}

export const listenerBaseUrl = (
  { host }: Pick<Config, 'host'>,
  { port }: Pick<Config, 'port'>,
  tls?: Config['tls'],
): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${tls ? 'https' : 'http'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** Grace period of open requests, in ms. */
const patience = 5_000

/** The server does not know connections whose TLS handshake is unfinished. */
const openSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** In ms; as long as headers may take. */
const handshakeTimeout = 20_000

const httpsServer = async (
  files: NonNullable<Config['tls']>,
  create: (certificate: Certificate) => TlsServer,
  log: Log,
) => {
  const { watchCertificate } = await import('@posthorn/adapters-mail-in/certificate')
  const watched = await watchCertificate(files, {
    port: 'public port',
    changed: (certificate) => http.setSecureContext(certificate),
    log,
    every: files.every,
  })
  const http = create(watched.current)
  return { http, unwatch: watched.close }
}

export type RequestHoldingServer = {
  readonly http: Server
  readonly open: (app: Express) => void
  /** Finishes open requests; after five seconds closes the rest by force. */
  readonly close: () => Promise<void>
  readonly abort: () => void
}

/** Delays responses until the application exists. With `tls` it speaks HTTPS. @throws UnusableCertificate */
export const requestHoldingServer = async (
  guard: ServerGuardOptions,
  tls: Config['tls'] | undefined,
  log: Log,
): Promise<RequestHoldingServer> => {
  const { guardServer, applyHttpMessageClasses, serverOptions } = await import('@posthorn/http-express')
  let open: (app: Express) => void = () => {}
  const opened = new Promise<Express>((resolve) => {
    open = resolve
  })
  const classes = {
    IncomingMessage: class extends IncomingMessage {},
    ServerResponse: class extends ServerResponse {},
  }
  const options = { ...serverOptions, ...classes }
  const createHttps = (certificate: Certificate) => createTlsServer({ ...options, ...certificate, handshakeTimeout })
  const made: { readonly http: Server; readonly unwatch: () => void } = tls
    ? await httpsServer(tls, createHttps, log)
    : { http: createServer(options), unwatch: () => undefined }
  const http = guardServer(made.http, guard)
  const sockets = openSockets(http)
  const waiting: RequestListener = (request, response) => void opened.then((app) => app(request, response))
  http.on('request', waiting)
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    http,
    open: (app) => {
      applyHttpMessageClasses(app, classes)
      open(app)
      http.off('request', waiting).on('request', app)
    },
    close: () =>
      new Promise((resolve) => {
        made.unwatch()
        http.close(() => resolve())
        http.closeIdleConnections()
        setTimeout(destroyAll, patience).unref()
      }),
    abort: () => {
      made.unwatch()
      http.close()
      destroyAll()
    },
  }
}
