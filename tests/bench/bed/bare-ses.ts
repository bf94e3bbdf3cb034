import { connect } from 'node:net'
import type { BareLoop } from './bare-smtp.js'
import { answerCalls } from './calls.js'

const post = (port: number, bytes: number): Buffer =>
  Buffer.from(
    `POST /v2/email/outbound-emails HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`,
  )

/** Posts a ready-made body again and again on one connection. */
const send = (port: number, mails: number, request: Buffer): Promise<void> =>
  new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let answered = 0
    let rest = ''
    socket.on('connect', () => socket.write(request))
    socket.on('error', failed)
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1')
      if (!/"MessageId":"[^"]*"\}/.test(rest)) return
      rest = ''
      answered += 1
      if (answered < mails) return void socket.write(request)
      socket.end()
      done()
    })
  })

const calls = {
  /** How many requests in a second a loop posts that signs and makes nothing. */
  run: async ({ port, connections, mails, bytes }: BareLoop): Promise<number> => {
    const request = post(port, bytes)
    const each = Math.max(1, Math.round(mails / connections))
    const started = performance.now()
    await Promise.all(Array.from({ length: connections }, () => send(port, each, request)))
    return (each * connections * 1000) / (performance.now() - started)
  },
}
export type BareSesCalls = typeof calls

answerCalls(calls)
