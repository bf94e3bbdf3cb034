import { connect } from 'node:net'
import { answerCalls } from './calls.js'

export type Load = {
  readonly port: number
  readonly connections: number
  readonly requests: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** `{n}` stands for the number of the request, from 0. */
  readonly body?: string
}

const now = () => performance.timeOrigin + performance.now()

const headEnd = Buffer.from('\r\n\r\n')

/** The bytes of every request, whose body differs by its number alone. */
const requestsOf = ({ port, method, path, headers = {}, body = '' }: Load) => {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n')
  return (n: number): string => {
    const text = body.replaceAll('{n}', String(n))
    return `${head}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
}

const run = (load: Load) => {
  const { port, connections, requests } = load
  const requestOf = requestsOf(load)
  const begun = new Float64Array(requests)
  const took = new Float64Array(requests)
  const statuses: Record<string, number> = {}
  let refusal: string | undefined
  let next = 0

  /** One connection, one request at a time, until there are no more. */
  const client = (): Promise<void> =>
    new Promise((done, failed) => {
      const socket = connect(port, '127.0.0.1')
      socket.setNoDelay(true)
      let n = 0
      let rest: Buffer = Buffer.alloc(0)
      const ask = () => {
        if (next >= requests) {
          socket.end()
          return done()
        }
        n = next
        next += 1
        begun[n] = now()
        socket.write(requestOf(n))
      }
      socket.on('connect', ask)
      socket.on('error', failed)
      socket.on('close', () => done())
      socket.on('data', (chunk: Buffer) => {
        rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
        const head = rest.indexOf(headEnd)
        if (head < 0) return
        const length = /\r\ncontent-length: (\d+)/i.exec(rest.toString('latin1', 0, head + 2))?.[1]
        if (length === undefined) {
          failed(new Error(`An answer without a length: ${rest.toString('latin1', 0, head)}`))
          return
        }
        if (rest.length < head + 4 + Number(length)) return
        took[n] = now() - (begun[n] ?? 0)
        const status = rest.toString('latin1', 9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        if (!status.startsWith('2')) refusal ??= rest.toString('utf8', head + 4)
        rest = Buffer.alloc(0)
        ask()
      })
    })

  return {
    refusal: () => refusal,
    clients: () => Promise.all(Array.from({ length: connections }, client)),
    begun,
    took,
    statuses,
  }
}

const calls = {
  /** Asks that often on so many connections. Times in milliseconds, `begun` since 1970. */
  run: async (load: Load) => {
    const started = performance.now()
    const { clients, refusal, begun, took, statuses } = run(load)
    await clients()
    return {
      milliseconds: performance.now() - started,
      refusal: refusal(),
      begun: [...begun],
      took: [...took],
      statuses,
    }
  },
}
export type LoadCalls = typeof calls

answerCalls(calls)
