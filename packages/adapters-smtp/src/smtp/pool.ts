import type { Log } from '@posthorn/core'
import type { Mail, MailOutcome } from '@posthorn/core/ports/transport'
import type { OAuth2TokenSource } from './oauth2-tokens.js'
import { deferredOutcome, isSmtpThrottle } from './outcome.js'
import { NoSmtpSession, openSmtpSession, type SmtpSession } from './session.js'
import type { SmtpSettings } from './smtp-settings.js'
import { type SmtpAttempt, smtpTransaction } from './transaction.js'

type Job = { readonly mail: Mail; readonly done: (outcome: MailOutcome) => void; readonly moved: boolean }

type Line = {
  session?: SmtpSession
  carried: number
  pending: number
  free: boolean
}

/** In ms, after the server refused a further connection. */
const pauseAfterRefusal = 5_000

/** In ms, for mails in flight. */
const closingPatience = 15_000

/**
 * Opened on demand. If a connection closes before its mail's message was begun, the mail is tried once on another: servers close idle
 * connections without notice.
 */
export const smtpPool = (settings: SmtpSettings, log: Log, tokens?: OAuth2TokenSource) => {
  const { host, port, pool, maxMessages, timeouts } = settings
  const lines = new Set<Line>()
  const waiting: Job[] = []
  let opening = 0
  let notBefore = 0
  let closing = false

  /** Idle connections first, then connections that await only their last mail's reply. */
  const freeLine = (): Line | undefined => {
    let second: Line | undefined
    for (const line of lines) {
      if (!line.free || !line.session?.channel.isOpen()) continue
      if (line.pending === 0) return line
      second ??= line
    }
    return second
  }

  const finish = (line: Line) => {
    lines.delete(line)
    line.free = false
    line.session?.channel.quit()
  }

  const settle = (line: Line, job: Job, { outcome, untouched }: SmtpAttempt) => {
    line.pending -= 1
    if (untouched && !job.moved) waiting.unshift({ ...job, moved: true })
    else job.done(outcome)
    if (line.pending === 0 && (closing || line.carried >= maxMessages)) finish(line)
  }

  const carry = (line: Line, session: SmtpSession, job: Job) => {
    line.carried += 1
    line.pending += 1
    line.free = false
    let released = false
    const release = () => {
      if (released) return
      released = true
      line.free = line.carried < maxMessages
      dispatch()
    }
    const over = (attempt: SmtpAttempt) => {
      settle(line, job, attempt)
      release()
    }
    const failed = (error: unknown) =>
      over({
        outcome: deferredOutcome('SmtpFailure', error instanceof Error ? error.message : String(error)),
        untouched: false,
      })
    smtpTransaction(session, job.mail, timeouts, release)
      .then(over, failed)
      .catch(() => undefined)
  }

  const unreachable = (error: NoSmtpSession) => {
    log('warn', 'No SMTP connection', { host, port, reason: error.message })
    if (lines.size > 0) {
      notBefore = performance.now() + pauseAfterRefusal
      setTimeout(dispatch, pauseAfterRefusal).unref()
      return
    }
    const throttled = error.reply !== undefined && isSmtpThrottle(error.reply)
    const outcome = deferredOutcome(throttled ? 'SmtpThrottled' : 'SmtpUnavailable', error.message, throttled)
    for (const job of waiting.splice(0)) job.done(outcome)
  }

  const open = async (): Promise<void> => {
    const line: Line = { carried: 0, pending: 0, free: false }
    lines.add(line)
    opening += 1
    let session: SmtpSession
    try {
      session = await openSmtpSession(settings, tokens)
    } catch (error) {
      lines.delete(line)
      unreachable(error instanceof NoSmtpSession ? error : new NoSmtpSession(String(error)))
      return
    } finally {
      opening -= 1
    }
    line.session = session
    line.free = true
    log('debug', 'SMTP connection opened', { host, port, pipelining: session.pipelining })
    dispatch()
    if (closing && line.pending === 0) finish(line)
    const reason = await session.channel.ended
    lines.delete(line)
    log('debug', 'SMTP connection ended', { host, port, mails: line.carried, reason })
    dispatch()
  }

  const dispatch = () => {
    while (waiting.length > 0) {
      const line = freeLine()
      if (!line?.session) break
      carry(line, line.session, waiting.shift() as Job)
    }
    const missing = Math.min(waiting.length - opening, pool - lines.size)
    if (missing <= 0 || (lines.size > 0 && performance.now() < notBefore)) return
    for (let i = 0; i < missing; i += 1) open().catch(() => undefined)
  }

  const settled = () => waiting.length === 0 && [...lines].every((line) => line.pending === 0 && line.session)

  return {
    send: (mail: Mail): Promise<MailOutcome> =>
      new Promise((done) => {
        if (closing) return done(deferredOutcome('SmtpUnavailable', 'The SMTP mailer is closed'))
        waiting.push({ mail, done, moved: false })
        dispatch()
      }),

    close: async (): Promise<void> => {
      closing = true
      const giveUp = performance.now() + closingPatience
      while (!settled() && performance.now() < giveUp) await new Promise((resolve) => setTimeout(resolve, 20))
      for (const job of waiting.splice(0)) job.done(deferredOutcome('SmtpUnavailable', 'The SMTP mailer was closed'))
      for (const line of [...lines])
        if (line.pending === 0) finish(line)
        else line.session?.channel.fail('The SMTP mailer was closed')
    },
  }
}
