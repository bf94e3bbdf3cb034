import type { AddressInfo, Socket } from 'node:net'
import { rateLimiter } from '@posthorn/core/ports/runtime'
import { addressBlock } from '@posthorn/core/ports/transport'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { type MailInOptions, mailIngest } from '../mail-ingest.js'
import { readBytes } from '../returned/message.js'
import { type AdmissionLimits, admission } from './admission.js'
import { type CertificateFiles, watchCertificate } from './certificate-files.js'

export type BounceServerLimits = AdmissionLimits & {
  /** In bytes. */
  readonly message: number
  readonly messagesPerMinute: number
  readonly messagesPerMinuteAndCaller: number
  readonly recipients: number
  readonly unknownRecipients: number
  /** Idle timeout, in ms. */
  readonly idleTimeout: number
}

export const standardBounceLimits: BounceServerLimits = {
  message: 10 * 1024 * 1024,
  connections: 50,
  connectionsPerCaller: 5,
  messagesPerMinute: 600,
  messagesPerMinuteAndCaller: 60,
  recipients: 10,
  unknownRecipients: 10,
  lifetime: 10 * 60_000,
  replaceableAfter: 30_000,
  commands: 256 * 1024,
  idleTimeout: 60_000,
}

export type BounceServerOptions = MailInOptions & {
  readonly port: number
  readonly host: string
  /** In SMTP: the bounce domain. */
  readonly name: string
  /** For STARTTLS, which is not offered without one. Checked for changes every `every` ms. */
  readonly certificate?: (CertificateFiles & { readonly every?: number }) | undefined
  readonly limits?: Partial<BounceServerLimits>
  readonly now?: () => number
}

export type BounceServer = {
  readonly port: number
  /** Finishes current messages; after five seconds closes the rest by force. */
  readonly close: () => Promise<void>
}

const reply = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

/** RFC 5321 section 6.3: more means a loop. */
const mostHops = 50

const hopsOf = (head: string): number => {
  const end = head.indexOf('\r\n\r\n')
  const fields = `\r\n${end < 0 ? head : head.slice(0, end)}`.toLowerCase()
  return fields.split('\r\nreceived:').length - 1
}

type Kept = { readonly head: Buffer; readonly tooLarge: boolean }

const keptOf = (stream: SMTPServerDataStream, most: number, carried: (bytes: number) => void): Promise<Kept> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let kept = 0
    let came = 0
    stream.on('data', (chunk: Buffer) => {
      came += chunk.length
      carried(chunk.length)
      if (kept >= readBytes) return
      const piece = chunk.subarray(0, readBytes - kept)
      kept += piece.length
      chunks.push(piece)
    })
    stream.on('end', () => resolve({ head: Buffer.concat(chunks), tooLarge: stream.sizeExceeded || came > most }))
    stream.on('error', reject)
  })

/**
 * An SMTP server for returned mail only: accepts mail to addresses signed here, and to `fbl`, `abuse` and `postmaster`
 * of the domain. Relays and sends nothing; if a message cannot be recorded, the client should retry.
 * @throws Error if the port cannot be opened, or the certificate cannot be used
 */
export const bounceServer = async ({
  port,
  host,
  name,
  certificate,
  limits: given = {},
  now = Date.now,
  ...options
}: BounceServerOptions): Promise<BounceServer> => {
  const { SMTPServer } = await import('smtp-server')
  const limits = { ...standardBounceLimits, ...given }
  const { isOurs, take } = mailIngest(options)
  const { log } = options
  const door = admission(limits, now)
  const perMinute = (burst: number) => rateLimiter({ perSecond: burst / 60, burst }, now)
  const rate = perMinute(limits.messagesPerMinuteAndCaller)
  const rateOfAll = perMinute(limits.messagesPerMinute)
  const unknownRecipients = new WeakMap<SMTPServerSession, number>()

  const addressCheck = (address: string, session: SMTPServerSession): Error | undefined => {
    if (isOurs(address)) return undefined
    const so = (unknownRecipients.get(session) ?? 0) + 1
    unknownRecipients.set(session, so)
    if (so > limits.unknownRecipients) return reply(421, '4.7.0 Too many unknown addresses')
    return reply(550, '5.1.1 No such address here')
  }

  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | undefined> => {
    const { head, tooLarge } = await keptOf(stream, limits.message, (bytes) => door.carried(session, bytes))
    if (tooLarge) return reply(552, `5.3.4 A message has at most ${limits.message} bytes here`)
    if (hopsOf(head.subarray(0, 64 * 1024).toString('latin1')) > mostHops)
      return reply(554, '5.4.6 The message goes round in circles')
    if (!rate.take(addressBlock(session.remoteAddress)).allowed || !rateOfAll.take('').allowed)
      return reply(451, '4.7.1 Too many messages, please try again later')
    const { mailFrom, rcptTo } = session.envelope
    try {
      await take(
        head,
        rcptTo.map(({ address }) => address),
        mailFrom ? mailFrom.address : '',
      )
      return undefined
    } catch (error) {
      log('error', 'A returned message could not be recorded', { error })
      return reply(451, '4.3.0 Please try again later')
    }
  }

  const watched =
    certificate &&
    (await watchCertificate(certificate, {
      changed: (another) => server.updateSecureContext(another),
      log,
      every: certificate.every,
    }))
  const server = new SMTPServer({
    ...watched?.current,
    name,
    banner: 'Posthorn takes bounces',
    authOptional: true,
    disabledCommands: watched ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    hideSMTPUTF8: false,
    disableReverseLookup: true,
    size: limits.message,
    maxRecipients: limits.recipients,
    maxCommandLength: 2_048,
    socketTimeout: limits.idleTimeout,
    closeTimeout: 5_000,
    onRcptTo: ({ address }, session, done) => done(addressCheck(address, session)),
    onData: (stream, session, done) => {
      receive(stream, session).then(
        (refusal) => (refusal ? done(refusal) : done(null, '2.0.0 Taken')),
        () => done(reply(451, '4.3.0 Please try again later')),
      )
    },
  })
  server.on('error', (error) => log('debug', 'A connection to the bounce port failed', { reason: error.message }))
  const inner = server.server
  const [serve] = inner.listeners('connection')
  inner.removeAllListeners('connection')
  inner.on('connection', (socket: Socket) => {
    const refusal = door.refusal(socket)
    if (refusal === undefined) return serve?.call(inner, socket)
    socket.on('error', () => undefined)
    socket.end(`421 4.7.0 ${refusal}\r\n`, () => socket.destroy())
  })

  await new Promise<void>((resolve, reject) => {
    inner.once('error', reject)
    server.listen(port, host, () => {
      inner.off('error', reject)
      resolve()
    })
  }).catch((error: unknown) => {
    watched?.close()
    throw error
  })
  let closing: Promise<void> | undefined
  return {
    port: (inner.address() as AddressInfo).port,
    close: () => {
      watched?.close()
      closing ??= new Promise<void>((resolve) => server.close(() => resolve())).finally(door.close)
      return closing
    },
  }
}
