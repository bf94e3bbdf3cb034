import { type AddressInfo, connect } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as the relay got it. */
export type ReceivedMail = { readonly from: string; readonly to: string; readonly text: string }

type RelayOptions = {
  /** How an address is refused, as `550 5.1.1 User unknown`; undefined for one that takes mail. May take its time. */
  readonly refusal?: (to: string) => string | undefined | Promise<string | undefined>
  /** Hears of each mail that was taken. */
  readonly taken?: (mail: ReceivedMail) => void
}

export const isNobody = (to: string) => to.startsWith('nobody@')

/** A relay on loopback that keeps the mails it takes. */
export const receivingRelay = async ({ refusal = () => undefined, taken = () => {} }: RelayOptions = {}) => {
  const received: ReceivedMail[] = []
  const refused = async (to: string) => {
    const reply = await refusal(to)
    return reply && Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => void refused(address).then((error) => done(error || undefined)),
    onData: (stream, session, done) => {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        for (const { address: to } of rcptTo) {
          const mail = { from, to, text: Buffer.concat(pieces).toString() }
          received.push(mail)
          taken(mail)
        }
        done()
      })
    },
  })
  // Whoever is killed leaves its connections open.
  server.on('error', () => undefined)
  const port = await new Promise<number>((resolve) => {
    const inner = server.listen(0, '127.0.0.1', () => resolve((inner.address() as AddressInfo).port))
  })
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    /** How many are open: what a sender that was killed had sent is read until its own are gone. */
    connections: () => server.connections.size,
    /** The mail that an address got. @throws Error where it got none */
    mailTo: (address: string): ReceivedMail => {
      const mail = received.find(({ to }) => to === address)
      if (!mail) throw new Error(`No mail to ${address}`)
      return mail
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
export type ReceivingRelay = Awaited<ReturnType<typeof receivingRelay>>

/** Hands a message to a mail server on loopback, from nobody; answers what it said last. */
export const handOver = (port: number, to: string, message: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines = ['EHLO mx.example.net', 'MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA', `${message}\r\n.`, 'QUIT']
    const socket = connect(port, '127.0.0.1')
    let answers = ''
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      answers += bytes.toString()
      if (/^\d{3} .*\r\n$/m.test(bytes.toString()) && lines.length > 0) socket.write(`${lines.shift()}\r\n`)
    })
    socket.on('close', () => resolve(answers.trim().split('\r\n').at(-2) ?? ''))
  })

/** What a mail server writes to a mail's sender when the mailbox behind it turns out not to be there (RFC 3464). */
export const statusReport = (to: string) =>
  [
    'From: MAILER-DAEMON@mx.example.net',
    `To: ${to}`,
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'I’m sorry to have to inform you that your message could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    'Final-Recipient: rfc822; later@example.net',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 The mailbox is gone',
    '--b--',
    '',
  ].join('\r\n')
