import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { failure, type Reason } from './errors.js'

type ClientError = Error & { readonly code?: string }

/** Why nothing could be read as a request, by Node's code; anything else is no HTTP. */
const reasons: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: {
    kind: 'head-too-large',
    message: 'The address and the headers of the request are larger than 16 KB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { kind: 'too-large', message: 'The extensions of the chunks are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { kind: 'too-slow', message: 'The request came too slowly.' },
}
const noHttp: Reason = { kind: 'invalid', message: 'The request is not valid HTTP.' }

/** How long who is refused may take to read it, in milliseconds. */
const farewell = 1_000

const answerTo = ({ code = '' }: ClientError): string => {
  const { kind, message } = reasons[code] ?? noHttp
  const body = failure(kind, message)
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

/**
 * Answers in the API's envelope what Node could not read as a request: too large a head, what is no HTTP, what comes too slowly. Where
 * an answer is under way on the connection, it is closed instead: nothing is written into another's answer.
 */
export const answerClientErrors = (server: Server): Server => {
  const underWay = new WeakMap<Duplex, number>()
  const told = new WeakSet<Duplex>()
  const count = (socket: Duplex, by: number) => underWay.set(socket, (underWay.get(socket) ?? 0) + by)

  server.prependListener('request', ({ socket }, response) => {
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  return server.on('clientError', (error: ClientError, socket: Duplex) => {
    // What still comes of a refused request is told each time. A connection that was closed before it is read would lose the answer.
    if (told.has(socket)) return
    if (!socket.writable || error.code === 'ECONNRESET' || (underWay.get(socket) ?? 0) > 0) return socket.destroy()
    told.add(socket)
    socket.on('error', () => socket.destroy())
    socket.end(answerTo(error))
    setTimeout(() => socket.destroy(), farewell).unref()
  })
}
