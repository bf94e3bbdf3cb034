import type { Mail, Mailer, MailOutcome } from '@posthorn/core/ports'

/** What becomes of a mail; undefined: it is accepted. */
export type MailScript = (mail: Mail) => MailOutcome | undefined | Promise<MailOutcome | undefined>

export type RecordingMailer = Mailer & {
  /** Every mail that was accepted, in order. */
  readonly sent: readonly Mail[]
  /** Every mail that was handed over, whatever became of it, in order. */
  readonly handed: readonly Mail[]
  /** Says what becomes of mails from now on. */
  readonly answer: (script: MailScript) => void
  /** Says what becomes of mails to these addresses from now on. */
  readonly answerTo: (scripts: Readonly<Record<string, MailScript>>) => void
}

export type RecordingMailerSettings = Partial<Pick<Mailer, 'reportsSends' | 'concurrency'>> & {
  readonly ratePerSecond?: number
}

/** A mailer that keeps what it is given and answers as it is told. */
export const recordingMailer = (settings: RecordingMailerSettings = {}): RecordingMailer => {
  const sent: Mail[] = []
  const handed: Mail[] = []
  let script: MailScript = () => undefined

  return {
    sent,
    handed,
    answer: (next) => {
      script = next
    },
    answerTo: (scripts) => {
      script = (mail) => scripts[mail.to]?.(mail)
    },
    send: async (mail) => {
      handed.push(mail)
      const outcome = (await script(mail)) ?? { kind: 'accepted', providerMessageId: `recorded-${sent.length + 1}` }
      if (outcome.kind === 'accepted') sent.push(mail)
      return outcome
    },
    ratePerSecond: async () => settings.ratePerSecond,
    reportsSends: settings.reportsSends ?? false,
    tellsReference: true,
    concurrency: settings.concurrency ?? 10,
    check: async () => undefined,
    close: async () => undefined,
  }
}

/** For good. */
export const refuse = (message = 'No such user'): MailScript => {
  return () => ({ kind: 'refused', error: { name: '550', message } })
}

/** Not now. */
export const defer = (message = 'Try again later'): MailScript => {
  return () => ({ kind: 'deferred', throttled: false, error: { name: '451', message } })
}

/** Too fast. */
export const throttle = (message = 'Too many messages'): MailScript => {
  return () => ({ kind: 'deferred', throttled: true, error: { name: '454', message } })
}

/** Handed over whole, and never answered for. */
export const loseTrack = (message = 'The connection broke'): MailScript => {
  return () => ({ kind: 'unknown', error: { name: 'ECONNRESET', message } })
}

/** Says nothing, ever: what a worker that dies in the middle leaves behind. */
export const hang = (): MailScript => () => new Promise(() => undefined)

/** Answers by the first script, then by the second and so on; when they are used up, mails are accepted. */
export const inTurn = (...scripts: readonly MailScript[]): MailScript => {
  const left = [...scripts]
  return (mail) => left.shift()?.(mail)
}
