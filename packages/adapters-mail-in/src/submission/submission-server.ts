import { type Log, Refusal, type Scope } from '@posthorn/core'
import { type RateLimit, rateLimiter } from '@posthorn/core/ports/runtime'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import { ipAddressBlock, type SmtpSubmissionUseCases } from '@posthorn/core/ports/transport'
import type { SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { type InboundConnectionLimits, smtpConnectionAdmission } from '../server/admission.js'
import { hopsIn, mostHops } from '../server/hops.js'
import { type SmtpListener, type SmtpListenerOptions, smtpListener, smtpRefusalError } from '../server/smtp-listener.js'
import { type MessageReaderLimits, type SubmittedRawMessage, submittedMessageReader } from './message-reader.js'
import { MalformedMessage, type MimeLimits, standardMimeLimits } from './mime-parts.js'
import { submittedMail } from './submitted-mail.js'

const megabyte = 1024 * 1024

export type SubmissionLimits = MessageReaderLimits & {
  /** Until the sign-in; a caller is an address block. */
  readonly strangers: InboundConnectionLimits
  /** After the sign-in, per account. */
  readonly members: InboundConnectionLimits
  /** Failed sign-ins of an address block. */
  readonly guesses: RateLimit
  /** Per project; each mail and each recipient counts as one. */
  readonly rate: RateLimit
  readonly recipients: number
  /** Refused recipients of a connection. */
  readonly refusedRecipients: number
  /** In ms. */
  readonly idleTimeout: number
  readonly mime: MimeLimits
}

/** A mail of 25 MB has 34 MB in base64. */
export const standardSubmissionLimits: SubmissionLimits = {
  message: 36 * megabyte,
  memory: 140 * megabyte,
  memoryPerAccount: 80 * megabyte,
  waiting: 50,
  window: 30_000,
  bytesInWindow: 32 * 1024,
  strangers: {
    connections: 50,
    connectionsPerCaller: 20,
    lifetime: 30_000,
    replaceableAfter: 5_000,
    commands: 32 * 1024,
  },
  members: {
    connections: 100,
    connectionsPerCaller: 25,
    lifetime: 30 * 60_000,
    replaceableAfter: 60_000,
    commands: megabyte,
  },
  guesses: { perSecond: 0.1, burst: 10 },
  rate: { perSecond: 100, burst: 200 },
  recipients: 50,
  refusedRecipients: 50,
  idleTimeout: 60_000,
  mime: standardMimeLimits,
}

export type SubmissionMeter = {
  readonly message: (outcome: 'accepted' | 'deferred' | 'refused') => void
  readonly signIn: (outcome: 'accepted' | 'refused') => void
}

export type SubmissionServerOptions = SmtpListenerOptions & {
  /** Host name in SMTP. */
  readonly name: string
  readonly submission: SmtpSubmissionUseCases
  readonly limits?: Partial<SubmissionLimits>
  readonly meter?: SubmissionMeter | undefined
  readonly now?: () => number
}

export type SubmissionServer = SmtpListener & { readonly connections: () => number }

type Member = {
  readonly scope: Scope
  readonly account: string
  /** Signs in again: the key may be revoked while the connection is open. @throws Refusal `forbidden` */
  readonly confirm: () => Promise<unknown>
}

const isLoopback = (address: string) => /^(?:127\.\d+\.\d+\.\d+|::1)$/.test(address)

/** Commands of the library that no client needs. */
const never = ['WIZ', 'SHELL', 'KILL']

/** The same for each failure, so that it reveals nothing. */
const signInFailed =
  '5.7.8 Sign-in failed. The user is the id of a project, the password one of its API keys with the scope send or full'

type Codes = readonly [code: number, status: string]

/** 4xx for errors that the client may retry. */
const replyTo = (error: unknown, permanent: Codes, log: Log): Error => {
  if (error instanceof MalformedMessage) return smtpRefusalError(554, `5.6.0 ${error.message}`)
  if (error instanceof Refusal) {
    if (error.kind === 'busy') return smtpRefusalError(452, `4.7.1 ${error.message}`)
    if (error.kind === 'unavailable') return smtpRefusalError(451, `4.3.0 ${error.message}`)
    return smtpRefusalError(permanent[0], `${permanent[1]} ${error.message}`)
  }
  log('error', error instanceof StoreUnavailable ? 'The store did not respond to SMTP' : 'A submitted mail failed', {
    error,
  })
  return smtpRefusalError(451, '4.3.0 The mail could not be accepted. Retry in a few seconds')
}

/**
 * SMTP submission (RFC 6409), signed in by project id and API key. Every recipient gets their own mail and delivery; 250 means that all are
 * stored durably.
 * @throws Error if the port or the certificate cannot be used
 */
export const submissionServer = async ({
  name,
  submission,
  limits: given = {},
  meter,
  now = Date.now,
  ...listener
}: SubmissionServerOptions): Promise<SubmissionServer> => {
  const limits = { ...standardSubmissionLimits, ...given }
  const { log } = listener
  const strangers = smtpConnectionAdmission(limits.strangers, now)
  const members = smtpConnectionAdmission(limits.members, now)
  const guesses = rateLimiter(limits.guesses, now)
  const rate = rateLimiter(limits.rate, now)
  const read = submittedMessageReader(limits)
  const refusedRecipients = new WeakMap<SMTPServerSession, number>()

  const memberOf = ({ user }: SMTPServerSession): Member | undefined => user as Member | undefined

  /** Offers AUTH only where nobody can read the key. */
  const commandsFor = (session: SMTPServerSession, isSecure: boolean): readonly string[] => [
    ...never,
    ...(listener.certificate ? [] : ['STARTTLS']),
    ...(isSecure || isLoopback(session.remoteAddress) ? [] : ['AUTH']),
  ]

  const signIn = async (
    { username = '', password }: Pick<SMTPServerAuthentication, 'username' | 'password'>,
    session: SMTPServerSession,
  ): Promise<Member> => {
    const block = ipAddressBlock(session.remoteAddress)
    const { allowed, retrySeconds } = guesses.take(block)
    if (!allowed) throw smtpRefusalError(421, `4.7.0 Too many failed sign-ins. Retry in ${retrySeconds} s.`)
    // Only failures count: programs sign in for every mail.
    guesses.charge(block, -1)
    const confirm = () => submission.signIn(username, password ?? '')
    const member = await confirm().catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.kind !== 'forbidden') throw replyTo(error, [454, '4.7.0'], log)
      guesses.charge(block, 1)
      meter?.signIn('refused')
      throw smtpRefusalError(535, signInFailed)
    })
    const socket = strangers.release(session)
    const refusal = socket && members.refusal(socket, member.account)
    if (refusal !== undefined) throw smtpRefusalError(421, `4.7.0 ${refusal} of this account`)
    meter?.signIn('accepted')
    return { ...member, confirm }
  }

  const chargeRate = ({ scope }: Member): void => {
    const { allowed, retrySeconds } = rate.take(scope.projectId)
    if (!allowed)
      throw smtpRefusalError(452, `4.7.1 Too many mails of this project at once. Retry in ${retrySeconds} s.`)
  }

  const checkSender = async (address: string, session: SMTPServerSession): Promise<void> => {
    const member = memberOf(session)
    if (!member) throw smtpRefusalError(530, '5.7.0 Use STARTTLS, then sign in')
    if (address === '') throw smtpRefusalError(550, '5.7.1 Mails without a sender are not accepted here')
    chargeRate(member)
    await member.confirm().catch((error: unknown) => {
      if (error instanceof Refusal && error.kind === 'forbidden')
        throw smtpRefusalError(421, '4.7.0 The API key was revoked')
      throw error
    })
    await submission.assertSender(member.scope, address)
  }

  const checkRecipient = async (address: string, session: SMTPServerSession): Promise<void> => {
    const member = memberOf(session)
    if (!member) throw smtpRefusalError(530, '5.7.0 Use STARTTLS, then sign in')
    const refused = refusedRecipients.get(session) ?? 0
    if (refused >= limits.refusedRecipients) throw smtpRefusalError(421, '4.7.0 Too many refused recipients')
    chargeRate(member)
    try {
      await submission.assertRecipient(member.scope, address)
    } catch (error) {
      refusedRecipients.set(session, refused + 1)
      throw replyTo(error, error instanceof Refusal && error.kind === 'invalid' ? [550, '5.1.3'] : [550, '5.1.1'], log)
    }
    await submission.assertQuota(member.scope, session.envelope.rcptTo.length + 1)
  }

  const accept = async (
    { raw }: SubmittedRawMessage,
    { scope }: Member,
    { envelope }: SMTPServerSession,
  ): Promise<string> => {
    if (hopsIn(raw) > mostHops) throw smtpRefusalError(554, '5.4.6 The mail goes round in circles')
    const mail = await submittedMail(raw, limits.mime)
    const to = envelope.rcptTo.map(({ address }) => address)
    const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
    const from = mail.from?.address ?? sender
    if (from !== sender) await submission.assertSender(scope, from)
    try {
      return await submission.send(scope, { ...mail, from, to })
    } catch (error) {
      // The quota was used up after RCPT: 4xx for temporary limits, otherwise 5xx.
      if (error instanceof Refusal && error.kind === 'blocked') await submission.assertQuota(scope, to.length)
      throw replyTo(error, error instanceof Refusal && error.kind === 'blocked' ? [550, '5.7.1'] : [554, '5.6.0'], log)
    }
  }

  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    const member = memberOf(session)
    if (!member) throw smtpRefusalError(530, '5.7.0 Use STARTTLS, then sign in')
    const received = await read(stream, {
      owner: member.account,
      carried: (bytes) => members.carried(session, bytes),
      close: () => members.closeConnection(session),
    }).catch(() => smtpRefusalError(421, '4.4.2 The connection was lost'))
    if (received instanceof Error) throw received
    try {
      return await accept(received, member, session)
    } finally {
      received.release()
    }
  }

  const isReply = (error: unknown): error is Error & { responseCode: number } =>
    error instanceof Error && 'responseCode' in error
  const replied = (error: unknown): Error & { responseCode: number } =>
    (isReply(error) ? error : replyTo(error, [550, '5.7.1'], log)) as Error & { responseCode: number }
  const answering = (work: Promise<void>, done: (error?: Error | null) => void): void => {
    work.then(
      () => done(),
      (error: unknown) => done(replied(error)),
    )
  }

  const listening = await smtpListener('submission port', listener, strangers.refusal, (hasTls) => ({
    name,
    banner: 'Posthorn',
    disabledCommands: hasTls ? never : [...never, 'STARTTLS'],
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    hideSMTPUTF8: false,
    size: limits.message,
    maxRecipients: limits.recipients,
    maxCommandLength: 2_048,
    socketTimeout: limits.idleTimeout,
    onConnect: (session, done) => {
      session.disabledCommands = [...commandsFor(session, false)]
      done()
    },
    onSecure: (_socket, session, done) => {
      session.disabledCommands = [...commandsFor(session, true)]
      done()
    },
    onAuth: (auth, session, done) => {
      signIn(auth, session).then(
        (user) => done(null, { user }),
        (error: unknown) => done(replied(error)),
      )
    },
    onMailFrom: ({ address }, session, done) => answering(checkSender(address, session), done),
    onRcptTo: ({ address }, session, done) => answering(checkRecipient(address, session), done),
    onData: (stream, session, done) => {
      receive(stream, session).then(
        (id) => {
          meter?.message('accepted')
          done(null, `2.0.0 Queued as ${id}`)
        },
        (error: unknown) => {
          const refusal = replied(error)
          meter?.message(refusal.responseCode < 500 ? 'deferred' : 'refused')
          done(refusal)
        },
      )
    },
  }))
  return {
    port: listening.port,
    connections: () => strangers.connections() + members.connections(),
    close: () =>
      listening.close().finally(() => {
        strangers.close()
        members.close()
      }),
  }
}
