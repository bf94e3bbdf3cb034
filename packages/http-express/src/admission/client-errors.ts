import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { failure, type Reason } from '../errors.js'

type ClientError = Error & { readonly code?: string }

/** Why nothing could be read as a request, by Node's code; anything else is no HTTP. */
const reasons: Readonly<Record<string, Reason>> = {
  HPE_HEADER_OVERFLOW: {
    kind: 'head-too-large',
    message: 'The address and the headers of the request are larger than 8 KB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { kind: 'too-large', message: 'The extensions of the chunks are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { kind: 'too-slow', message: 'The request came too slowly.' },
}
const noHttp: Reason = { kind: 'invalid', message: 'The request is not valid HTTP.' }

/** The client has this long to read the answer, in milliseconds. */
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
 * Answers in the API's envelope what Node could not read as a request: headers that are too large, what is no HTTP, what comes too slowly.
 * A connection with an unfinished response is closed instead, as the error must not be written into that response.
 */
export const answerClientErrors = (server: Server, isAnswering: (socket: Duplex) => boolean): Server => {
  const answered = new WeakSet<Duplex>()
  return server.on('clientError', (error: ClientError, socket: Duplex) => {
    // Node reports each further piece of a refused request. Closing the connection before the answer is read would lose the answer.
    if (answered.has(socket)) return
    if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) return socket.destroy()
    answered.add(socket)
    socket.on('error', () => socket.destroy())
    socket.end(answerTo(error))
    setTimeout(() => socket.destroy(), farewell).unref()
  })
}
