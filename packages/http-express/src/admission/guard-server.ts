import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import express from 'express'
import { answerClientErrors } from './client-errors.js'
import { type ConnectionLimits, connectionLimits, openConnections } from './connections.js'

/**
 * Options of Node's `createServer`: 8 KB for the request line and all headers, because the client is unknown until they are read; 20 s for
 * the headers, and five minutes for a whole request.
 */
export const serverOptions = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
} as const

export type GuardOptions = {
  /** Overrides of `connectionLimits`, which reads the limit of open files. */
  readonly connections?: Partial<ConnectionLimits> | undefined
  /** As Express's `trust proxy`: how many proxies are in front, or their addresses and networks. They may open any number of connections. */
  readonly trustProxy?: number | readonly string[] | undefined
}

/** Express's interpretation of `trust proxy`. */
const trustedProxies = (trustProxy: GuardOptions['trustProxy']): ((address: string) => boolean) => {
  const app = express()
  if (trustProxy !== undefined) app.set('trust proxy', trustProxy)
  const trusts: (address: string, hop: number) => boolean = app.get('trust proxy fn')
  return (address) => trusts(address, 0)
}

/** Whether the client has sent everything and waits for the server. */
const isWorkedOn = (response: ServerResponse): boolean =>
  response.req.complete && !response.writableEnded && !response.writableNeedDrain

/**
 * Limits the connections of a server, and responds in the API's envelope to requests that Node cannot read. `app.listen` guards its server
 * itself; call this for a server made by `createServer(serverOptions, app)`, before it listens.
 */
export const guardServer = (server: Server, { connections, trustProxy }: GuardOptions = {}): Server => {
  const responses = new WeakMap<Duplex, Set<ServerResponse>>()
  const someOf = (socket: Duplex, holds: (response: ServerResponse) => boolean): boolean => {
    for (const response of responses.get(socket) ?? []) if (holds(response)) return true
    return false
  }
  const open = openConnections(connectionLimits(connections), {
    trusts: trustedProxies(trustProxy),
    isWorkedOn: (socket) => someOf(socket, isWorkedOn),
  })
  server.prependListener('connection', open.enter)
  server.prependListener('request', ({ socket }, response) => {
    open.touch(socket)
    const own = responses.get(socket) ?? new Set()
    responses.set(socket, own.add(response))
    response.once('close', () => own.delete(response))
  })
  return answerClientErrors(server, (socket) => someOf(socket, () => true))
}
