import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { failure, type Reason } from '../errors.js'

type ClientError = Error & { readonly code?: string }

/** Reasons by Node's error code; any other code means invalid HTTP. */
const reasons: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: {
    kind: 'head-too-large',
    message: 'The address and the headers of the request are larger than 8 KB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { kind: 'too-large', message: 'The extensions of the chunks are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { kind: 'too-slow', message: 'The request came too slowly.' },
}
const noHttp: Reason = { kind: 'invalid', message: 'The request is not valid HTTP.' }

/** Time for the client to read the response, in milliseconds. */
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
 * Responds in the API's envelope to requests that Node cannot read: oversized headers, invalid HTTP, slow arrival. Closes a connection with
 * an unfinished response instead, because the error must not be written into that response.
 */
export const answerClientErrors = (server: Server, isAnswering: (socket: Duplex) => boolean): Server => {
  const answered = new WeakSet<Duplex>()
  return server.on('clientError', (error: ClientError, socket: Duplex) => {
    // Node reports each further piece of a refused request. Closing the connection before the client reads the response would lose it.
    if (answered.has(socket)) return
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) return socket.destroy()
    answered.add(socket)
    socket.on('error', () => socket.destroy())
    socket.end(answerTo(error))
    setTimeout(() => socket.destroy(), farewell).unref()
  })
}
