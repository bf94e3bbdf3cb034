import { connect, isIP, type Socket } from 'node:net'
import { connect as secureConnect } from 'node:tls'
import { type HttpResponse, httpResponseReader, NoAnswer } from './response-reader.js'
import type { HttpConnectionPoolLimits } from './sdk-client.js'
import { type SendRequestBuffer, type SesEndpoint, sendRequestBuffer } from './send-request.js'

type Exchange = {
  readonly compose: (into: SendRequestBuffer) => Buffer
  readonly done: (response: HttpResponse) => void
  readonly failed: (error: unknown) => void
}

type Connection = {
  readonly socket: Socket
  readonly bytes: SendRequestBuffer
  readonly reader: ReturnType<typeof httpResponseReader>
  readonly noteWritten: (error?: Error | null) => void
  exchange: Exchange | undefined
  timer: NodeJS.Timeout
  isConnected: boolean
  written: boolean
  /** In `performance.now()` time. */
  usableUntil: number
}

/** In ms: default reuse limit, as a middlebox may drop the connection. */
const idleLimit = 30_000

/**
 * One request at a time per connection (HTTP/1.1, RFC 9112). Never retries or follows redirects; errors say whether the request was
 * written.
 */
export const httpConnectionPool = ({ protocol, hostname, port }: SesEndpoint, limits: HttpConnectionPoolLimits) => {
  const { connections: most, connectTimeout, requestTimeout } = limits
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const all = new Set<Connection>()
  const idle: Connection[] = []
  const waiting: Exchange[] = []
  let session: Buffer | undefined
  let isClosed = false

  const opened = (): Socket => {
    if (!isSecure) return connect({ host, port: port ?? 80 })
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const resumed = session === undefined ? {} : { session }
    const socket = secureConnect({ host, port: port ?? 443, ALPNProtocols: ['http/1.1'], ...servername, ...resumed })
    return socket.on('session', (ticket: Buffer) => {
      session = ticket
    })
  }

  const lose = (connection: Connection, reason: string): void => {
    if (!all.delete(connection)) return
    clearTimeout(connection.timer)
    connection.socket.destroy()
    if (!connection.isConnected) session = undefined
    const place = idle.indexOf(connection)
    if (place >= 0) idle.splice(place, 1)
    const { exchange, written } = connection
    connection.exchange = undefined
    exchange?.failed(new NoAnswer(reason, written))
    next()
  }

  const release = (connection: Connection): void => {
    const exchange = waiting.shift()
    if (exchange) begin(connection, exchange)
    else {
      idle.push(connection)
      connection.socket.unref()
    }
  }

  const begin = (connection: Connection, exchange: Exchange): void => {
    let request: Buffer
    try {
      request = exchange.compose(connection.bytes)
    } catch (error) {
      connection.exchange = undefined
      exchange.failed(error)
      release(connection)
      return
    }
    connection.exchange = exchange
    connection.written = false
    connection.timer.refresh()
    connection.socket.ref()
    connection.socket.write(request, connection.noteWritten)
  }

  const onResponse = (connection: Connection, response: HttpResponse): void => {
    const { exchange, written } = connection
    connection.exchange = undefined
    const { reusableFor = idleLimit } = response
    // The server does not read on after an early answer.
    if (reusableFor > 0 && written) {
      connection.usableUntil = performance.now() + Math.min(idleLimit, reusableFor)
      release(connection)
    } else lose(connection, 'The connection is not reusable.')
    exchange?.done(response)
  }

  const onData = (connection: Connection, read: () => HttpResponse | undefined): void => {
    try {
      if (!connection.exchange) throw new Error('The server sent data without a request.')
      const response = read()
      if (response) onResponse(connection, response)
    } catch (error) {
      lose(connection, error instanceof Error ? error.message : String(error))
    }
  }

  const open = (first: Exchange): void => {
    const socket = opened()
    const connection: Connection = {
      socket,
      bytes: sendRequestBuffer(),
      reader: httpResponseReader(),
      noteWritten: (error) => {
        if (!error) connection.written = true
      },
      exchange: first,
      timer: setTimeout(() => lose(connection, `No connection within ${connectTimeout} ms.`), connectTimeout),
      isConnected: false,
      written: false,
      usableUntil: 0,
    }
    all.add(connection)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 1_000)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(connection.timer)
      connection.isConnected = true
      connection.usableUntil = performance.now() + idleLimit
      connection.timer = setTimeout(
        () => lose(connection, `No response within ${requestTimeout} ms.`),
        requestTimeout,
      ).unref()
      begin(connection, first)
    })
    socket.on('data', (bytes: Buffer) => onData(connection, () => connection.reader.read(bytes)))
    socket.once('end', () => {
      if (connection.exchange) onData(connection, connection.reader.ended)
      lose(connection, 'The connection was closed before the response.')
    })
    socket.on('error', ({ message }) => lose(connection, message))
    socket.once('close', () => lose(connection, 'The connection broke before the response.'))
  }

  const idleConnection = (): Connection | undefined => {
    for (;;) {
      const connection = idle.pop()
      if (!connection || performance.now() < connection.usableUntil) return connection
      lose(connection, 'The connection was idle for too long.')
    }
  }

  const take = (exchange: Exchange): void => {
    const connection = idleConnection()
    if (connection) begin(connection, exchange)
    else if (all.size < most) open(exchange)
    else waiting.push(exchange)
  }

  const next = (): void => {
    if (waiting.length > 0 && all.size < most && !isClosed) take(waiting.shift() as Exchange)
  }

  return {
    /** @throws NoAnswer, and errors of `compose` */
    exchange: (compose: Exchange['compose']): Promise<HttpResponse> =>
      new Promise((done, failed) => {
        if (isClosed) failed(new NoAnswer('The connections are closed.', false))
        else take({ compose, done, failed })
      }),
    close: (): void => {
      isClosed = true
      for (const { failed } of waiting.splice(0)) failed(new NoAnswer('The connections are closed.', false))
      for (const connection of [...all]) lose(connection, 'The connections are closed.')
    },
  }
}
export type HttpConnectionPool = ReturnType<typeof httpConnectionPool>
