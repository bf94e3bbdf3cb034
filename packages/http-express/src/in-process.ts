import { createServer, type IncomingMessage, type RequestListener, request as send } from 'node:http'
import { duplexPair } from 'node:stream'
import { serverOptions } from './http-server.js'

/** A request of the API by a program that has the caller's key. The path includes the query. */
export type ApiRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The body must be read, or left by ending its iteration. */
export type ApiResponse = {
  readonly status: number
  readonly retryAfter?: string | undefined
  readonly body: AsyncIterable<Uint8Array>
}

export type PerformRequest = (request: ApiRequest) => Promise<ApiResponse>

/**
 * Performs requests of `app` over a pair of streams. Each is a whole HTTP request with the caller's key and address, so scopes, limits and
 * `Idempotency-Key` apply. Needs no port, and works in an embedding program.
 */
export const inProcessRequests = (app: RequestListener) => {
  const server = createServer(serverOptions, app)
  return (caller: Pick<IncomingMessage, 'headers' | 'socket'>, signal: AbortSignal): PerformRequest =>
    ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const { authorization, 'x-forwarded-for': forwarded } = caller.headers
        const [client, served] = duplexPair()
        Object.defineProperty(served, 'remoteAddress', { value: caller.socket.remoteAddress })
        const request = send({
          // The pair has all that a request uses of a socket.
          createConnection: () => client as never,
          signal,
          method,
          path,
          headers: {
            host: 'localhost',
            ...headers,
            ...(authorization !== undefined && { authorization }),
            ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
            ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
          },
        })
        request.once('error', reject)
        request.once('response', (response) =>
          resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: response }),
        )
        server.emit('connection', served)
        request.end(body)
      })
}
