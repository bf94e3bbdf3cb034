import { createServer, type Server, type Socket } from 'node:net'
import type { Mail } from '@posthorn/core/ports/transport'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpOptions } from '../../src/index.js'

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })

export type Received = { readonly from: string; readonly to: readonly string[]; readonly bytes: Buffer }

/** A server of smtp-server that keeps what it gets. */
export const sink = async (options: SMTPServerOptions = {}) => {
  const received: Received[] = []
  let connections = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, done) => {
      connections += 1
      done()
    },
    onData: (stream, session, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          bytes: Buffer.concat(pieces),
        })
        done(null, `OK: queued as ${received.length}`)
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const port = await new Promise<number>((resolve) => {
    const inner = server.listen(0, '127.0.0.1', () => {
      const address = inner.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  return {
    port,
    received,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** What a scripted server does with what it is told: answers text, or nothing, or ends the connection. */
export type Turn = (line: string, socket: Socket) => string | undefined

/** A server that answers lines with whatever the script says, sense or not. The message after DATA is one line to it. */
export const scripted = async (
  script: (connection: number) => { readonly greeting?: string | ((socket: Socket) => void); readonly turn: Turn },
) => {
  const sockets = new Set<Socket>()
  const heard: string[] = []
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    const { greeting = '220 scripted ESMTP\r\n', turn } = script(connections)
    if (typeof greeting === 'function') greeting(socket)
    else socket.write(greeting)
    let rest = ''
    let inData = false
    socket.on('data', (bytes) => {
      rest += bytes.toString('latin1')
      for (;;) {
        const mark = inData ? '.\r\n' : '\r\n'
        const end = inData && rest.startsWith(mark) ? 0 : rest.indexOf(inData ? `\r\n${mark}` : mark)
        if (end < 0) return
        const line = rest.slice(0, end)
        rest = rest.slice(end + (inData && end > 0 ? 2 : 0) + mark.length)
        heard.push(line)
        const answer = turn(inData ? 'MESSAGE' : line, socket)
        inData = !inData && line === 'DATA' && (answer ?? '').startsWith('354')
        if (answer !== undefined && !socket.destroyed) socket.write(answer)
      }
    })
  })
  const port = await listening(server)
  return {
    port,
    heard,
    connections: () => connections,
    /** Those that neither side has ended. */
    open: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A well-behaved turn, for scripts that misbehave in one place only. */
export const polite: Turn = (line) => {
  if (line.startsWith('EHLO')) return '250-scripted\r\n250-PIPELINING\r\n250 SIZE\r\n'
  if (line === 'DATA') return '354 go ahead\r\n'
  if (line === 'QUIT') return '221 bye\r\n'
  return line === 'MESSAGE' ? '250 2.0.0 Ok: queued as ABC\r\n' : '250 2.1.0 Ok\r\n'
}

let count = 0

export const mail = (changes: Partial<Mail> = {}): Mail => {
  count += 1
  return {
    deliveryId: `dispatch:${count}`,
    projectId: 'project',
    from: 'news@example.com',
    to: `reader${count}@example.org`,
    mime: 'From: news@example.com\r\nSubject: Hello\r\n\r\nHello.\r\n',
    ...changes,
  }
}

export const local = (port: number, options: SmtpOptions = {}) => ({
  host: '127.0.0.1',
  port,
  log: () => undefined,
  ...options,
  // For who tests none of them: a machine may stand still for seconds.
  timeouts: { connect: 30_000, greeting: 30_000, command: 30_000, data: 30_000, ...options.timeouts },
})
