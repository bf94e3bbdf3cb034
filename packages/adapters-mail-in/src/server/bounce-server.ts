import { rateLimiter } from '@posthorn/core/ports/runtime'
import { ipAddressBlock } from '@posthorn/core/ports/transport'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { type MailIngestOptions, mailIngest } from '../mail-ingest.js'
import { mostParsedBytes } from '../returned/message.js'
import { type InboundConnectionLimits, smtpConnectionAdmission } from './admission.js'
import { hopsIn, mostHops } from './hops.js'
import { type SmtpListener, type SmtpListenerOptions, smtpListener, smtpRefusalError } from './smtp-listener.js'

export type BounceServerLimits = InboundConnectionLimits & {
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

export type BounceServerOptions = MailIngestOptions &
  SmtpListenerOptions & {
    /** Host name in SMTP: the bounce domain. */
    readonly name: string
    readonly limits?: Partial<BounceServerLimits>
    readonly now?: () => number
  }

export type BounceServer = SmtpListener

type Kept = { readonly head: Buffer; readonly tooLarge: boolean }

const keptOf = (stream: SMTPServerDataStream, most: number, carried: (bytes: number) => void): Promise<Kept> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let kept = 0
    let came = 0
    stream.on('data', (chunk: Buffer) => {
      came += chunk.length
      carried(chunk.length)
      if (kept >= mostParsedBytes) return
      const piece = chunk.subarray(0, mostParsedBytes - kept)
      kept += piece.length
      chunks.push(piece)
    })
    stream.on('end', () => resolve({ head: Buffer.concat(chunks), tooLarge: stream.sizeExceeded || came > most }))
    stream.on('error', reject)
  })

/**
 * Accepts only mail to signed return addresses, `fbl`, `abuse` and `postmaster`. Relays nothing. Clients should retry if a message cannot
 * be recorded.
 * @throws Error if the port or the certificate cannot be used
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
  const limits = { ...standardBounceLimits, ...given }
  const { isOurs, take } = mailIngest(options)
  const { log } = options
  const door = smtpConnectionAdmission(limits, now)
  const perMinute = (burst: number) => rateLimiter({ perSecond: burst / 60, burst }, now)
  const rate = perMinute(limits.messagesPerMinuteAndCaller)
  const rateOfAll = perMinute(limits.messagesPerMinute)
  const unknownRecipients = new WeakMap<SMTPServerSession, number>()

  const addressCheck = (address: string, session: SMTPServerSession): Error | undefined => {
    if (isOurs(address)) return undefined
    const so = (unknownRecipients.get(session) ?? 0) + 1
    unknownRecipients.set(session, so)
    if (so > limits.unknownRecipients) return smtpRefusalError(421, '4.7.0 Too many unknown addresses')
    return smtpRefusalError(550, '5.1.1 No such address here')
  }

  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | undefined> => {
    const { head, tooLarge } = await keptOf(stream, limits.message, (bytes) => door.carried(session, bytes))
    if (tooLarge) return smtpRefusalError(552, `5.3.4 A message has at most ${limits.message} bytes here`)
    if (hopsIn(head) > mostHops) return smtpRefusalError(554, '5.4.6 The message goes round in circles')
    if (!rate.take(ipAddressBlock(session.remoteAddress)).allowed || !rateOfAll.take('').allowed)
      return smtpRefusalError(451, '4.7.1 Too many messages, please try again later')
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
      return smtpRefusalError(451, '4.3.0 Please try again later')
    }
  }

  const listener = await smtpListener('bounce port', { port, host, certificate, log }, door.refusal, (hasTls) => ({
    name,
    banner: 'Posthorn takes bounces',
    authOptional: true,
    disabledCommands: hasTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    hideSMTPUTF8: false,
    size: limits.message,
    maxRecipients: limits.recipients,
    maxCommandLength: 2_048,
    socketTimeout: limits.idleTimeout,
    onRcptTo: ({ address }, session, done) => done(addressCheck(address, session)),
    onData: (stream, session, done) => {
      receive(stream, session).then(
        (refusal) => (refusal ? done(refusal) : done(null, '2.0.0 Taken')),
        () => done(smtpRefusalError(451, '4.3.0 Please try again later')),
      )
    },
  }))
  return { port: listener.port, close: () => listener.close().finally(door.close) }
}
