import { createServer, IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type TLSSocket, Server as TlsServer } from 'node:tls'
import express, { type Express } from 'express'
import { connectionLimiter, connectionLimits, type HttpConnectionLimits } from './admission/connections.js'
import { failureEnvelope, type HttpFailure } from './errors.js'

type ClientError = Error & { readonly code?: string }

/** By Node's error code; others mean invalid HTTP. */
const reasons: Readonly<Record<string, HttpFailure>> = {
  HPE_HEADER_OVERFLOW: {
    kind: 'head-too-large',
    message: 'The URL and the headers of the request are larger than 8 KB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { kind: 'too-large', message: 'The chunk extensions of the body are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { kind: 'too-slow', message: 'The request arrived too slowly.' },
}
const noHttp: HttpFailure = { kind: 'invalid', message: 'The request is not valid HTTP.' }

/** For the client to read the response, in ms. */
const farewell = 1_000

const answerTo = ({ code = '' }: ClientError): string => {
  const { kind, message } = reasons[code] ?? noHttp
  const body = failureEnvelope(kind, message)
  const text = JSON.stringify(body)
  return [
    `HTTP/1.1 ${body.status} ${STATUS_CODES[body.status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n')
}

/** The connection is gone, or its TLS handshake failed. */
const isUnanswerable = ({ code = '' }: ClientError): boolean => /^(?:ECONNRESET|ERR_SSL_|ERR_TLS_)/.test(code)

/** Answers requests that Node cannot read; closes the connection if a response is unfinished. */
const answerClientErrors = (server: Server, isAnswering: (socket: Duplex) => boolean): Server => {
  const answered = new WeakSet<Duplex>()
  return server.on('clientError', (error: ClientError, socket: Duplex) => {
    // Node reports each further piece; closing now would lose the response.
    if (answered.has(socket)) return
    if (!socket.writable || isUnanswerable(error) || isAnswering(socket)) return socket.destroy()
    answered.add(socket)
    socket.on('error', () => socket.destroy())
    socket.end(answerTo(error))
    setTimeout(() => socket.destroy(), farewell).unref()
  })
}

/** Small, because the client is unknown: 8 KB of headers in 20 s, five minutes for a request. */
export const serverOptions = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
} as const

export type ServerGuardOptions = {
  readonly connections?: Partial<HttpConnectionLimits> | undefined
  /** Trusted proxies may open any number of connections. */
  readonly trustProxy?: number | readonly string[] | undefined
}

const trustedProxies = (trustProxy: ServerGuardOptions['trustProxy']): ((address: string) => boolean) => {
  const app = express()
  if (trustProxy !== undefined) app.set('trust proxy', trustProxy)
  const trusts: (address: string, hop: number) => boolean = app.get('trust proxy fn')
  return (address) => trusts(address, 0)
}

/** The client has sent everything and waits. */
const isWorkedOn = (response: ServerResponse): boolean =>
  response.req.complete && !response.writableEnded && !response.writableNeedDrain

/** For HTTPS, the connection below a TLS socket, which the limits count. */
const transportsOf = (server: Server): ((socket: Duplex) => Duplex) => {
  if (!(server instanceof TlsServer)) return (socket) => socket
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  const open = new Map<string, Socket>()
  const below = new WeakMap<Duplex, Socket>()
  server.prependListener('connection', (socket: Socket) => {
    const name = nameOf(socket)
    open.set(name, socket)
    socket.once('close', () => open.get(name) === socket && open.delete(name))
  })
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const transport = open.get(nameOf(socket))
    if (transport) below.set(socket, transport)
  })
  return (socket) => below.get(socket) ?? socket
}

/** `app.listen` does this; call it for your own `createServer(serverOptions, app)`, of HTTP or HTTPS, before it listens. */
export const guardServer = (server: Server, { connections, trustProxy }: ServerGuardOptions = {}): Server => {
  const responses = new WeakMap<Duplex, Set<ServerResponse>>()
  const transportOf = transportsOf(server)
  const someOf = (socket: Duplex, holds: (response: ServerResponse) => boolean): boolean => {
    for (const response of responses.get(socket) ?? []) if (holds(response)) return true
    return false
  }
  const open = connectionLimiter(connectionLimits(connections), {
    trusts: trustedProxies(trustProxy),
    isWorkedOn: (socket) => someOf(socket, isWorkedOn),
  })
  server.prependListener('connection', open.enter)
  server.prependListener('request', (request, response) => {
    const socket = transportOf(request.socket) as Socket
    open.touch(socket)
    const own = responses.get(socket) ?? new Set()
    responses.set(socket, own.add(response))
    response.once('close', () => own.delete(response))
  })
  return answerClientErrors(server, (socket) => someOf(transportOf(socket), () => true))
}

type Class = { readonly prototype: object }

/** Options of `createServer`; servers must not share them. */
export type HttpMessageClasses = {
  readonly IncomingMessage: Class
  readonly ServerResponse: Class
}

const inheriting = <T extends object>({ prototype }: Class, wanted: T): T => Object.setPrototypeOf(prototype, wanted)

/** Otherwise Express sets a prototype per message, and each creates a V8 shape: half the CPU time of a short request. */
export const applyHttpMessageClasses = (app: Express, classes: HttpMessageClasses): void => {
  app.request = inheriting(classes.IncomingMessage, app.request)
  app.response = inheriting(classes.ServerResponse, app.response)
}

export const guardedListenOf = (app: Express, guard: ServerGuardOptions = {}): Express['listen'] => {
  const listen = (...given: readonly unknown[]): Server => {
    const classes = {
      IncomingMessage: class extends IncomingMessage {},
      ServerResponse: class extends ServerResponse {},
    }
    applyHttpMessageClasses(app, classes)
    const server = guardServer(createServer({ ...serverOptions, ...classes }, app), guard)
    const tell = given.at(-1)
    if (typeof tell !== 'function') return server.listen(...(given as []))
    let isTold = false
    const once = (error?: Error): void => {
      if (!isTold) tell(error)
      isTold = true
    }
    return server.once('error', once).listen(...(given.slice(0, -1) as []), () => once())
  }
  return listen as Express['listen']
}
