import { connect } from 'node:net'
import { answerCalls } from './calls.js'

export type BareLoop = {
  readonly port: number
  readonly connections: number
  readonly mails: number
  /** Size of each mail. */
  readonly bytes: number
}

const commands = 'MAIL FROM:<post@example.com>\r\nRCPT TO:<reader@example.com>\r\nDATA\r\n'

/** What is sent for each mail: itself, its end, and the commands of the next (RFC 2920, 3.1). */
const readyMade = (bytes: number): Buffer => {
  const line = 'Words that are the same for everybody, as most of a newsletter is, line by line.\r\n'
  return Buffer.from(`${line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes - 2)}\r\n.\r\n`)
}

/** Sends ready-made mails one after the other, each with the commands of the next behind it, as fast as they are answered. */
const send = (port: number, mails: number, mail: Buffer): Promise<void> =>
  new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    const [next, final] = [Buffer.concat([mail, Buffer.from(commands)]), mail]
    let sent = 0
    let rest = ''
    socket.on('error', failed)
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('220')) socket.write('EHLO bare\r\n')
        else if (line === '250 PIPELINING') socket.write(commands)
        else if (line.startsWith('354')) {
          sent += 1
          socket.write(sent < mails ? next : final)
        } else if (line === '250 2.0.0 taken' && sent === mails) {
          socket.end('QUIT\r\n')
          done()
        } else if (!line.startsWith('2')) failed(new Error(line))
      }
    })
  })

const calls = {
  /** How many mails in a second a loop hands over that does nothing else. */
  run: async ({ port, connections, mails, bytes }: BareLoop): Promise<number> => {
    const mail = readyMade(bytes)
    const each = Math.max(1, Math.round(mails / connections))
    const started = performance.now()
    await Promise.all(Array.from({ length: connections }, () => send(port, each, mail)))
    return (each * connections * 1000) / (performance.now() - started)
  },
}
export type BareSmtpCalls = typeof calls

answerCalls(calls)
