import type { SendingChannel } from '@posthorn/core'
import { channelKey } from '@posthorn/core/ports/storage'
import type { Mail, Mailer, Mailers, MailOutcome } from '@posthorn/core/ports/transport'

/** Undefined means accepted. */
export type MailerScript = (mail: Mail) => MailOutcome | undefined | Promise<MailOutcome | undefined>

export type RecordingMailer = Mailer & {
  /** Every accepted mail, in order. */
  readonly sent: readonly Mail[]
  /** Every transmitted mail, whatever its outcome, in order. */
  readonly handed: readonly Mail[]
  /** For mails from now on. */
  readonly answer: (script: MailerScript) => void
  /** For these addresses from now on. */
  readonly answerTo: (scripts: Readonly<Record<string, MailerScript>>) => void
}

export type RecordingMailerSettings = Partial<Pick<Mailer, 'reportsSends' | 'concurrency'>> & {
  readonly ratePerSecond?: number
}

/** A mailer that records mails and returns scripted outcomes. */
export const recordingMailer = (settings: RecordingMailerSettings = {}): RecordingMailer => {
  const sent: Mail[] = []
  const handed: Mail[] = []
  let script: MailerScript = () => undefined

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

export const refusingMailerScript = (message = 'No such user'): MailerScript => {
  return () => ({ kind: 'refused', error: { name: '550', message } })
}

/** The address accepts no mail: it is suppressed. */
export const bouncingMailerScript = (message = '5.1.1 No such user'): MailerScript => {
  return () => ({ kind: 'refused', bounce: true, error: { name: '550', message } })
}

/** The account sends nothing until a person acts: campaigns stop. */
export const stoppingMailerScript = (message = 'The account is suspended'): MailerScript => {
  return () => ({ kind: 'stopped', error: { name: 'AccountSuspended', message } })
}

export const deferringMailerScript = (message = 'Try again later'): MailerScript => {
  return () => ({ kind: 'deferred', throttled: false, error: { name: '451', message } })
}

export const throttlingMailerScript = (message = 'Too many messages'): MailerScript => {
  return () => ({ kind: 'deferred', throttled: true, error: { name: '454', message } })
}

/** The mail is transmitted, but its outcome is unknown. */
export const outcomeLosingMailerScript = (message = 'The connection broke'): MailerScript => {
  return () => ({ kind: 'unknown', error: { name: 'ECONNRESET', message } })
}

/** Never resolves, like a worker that dies while transmitting. */
export const unansweringMailerScript = (): MailerScript => () => new Promise(() => undefined)

/** After the last script, mails are accepted. */
export const mailerScriptsInTurn = (...scripts: readonly MailerScript[]): MailerScript => {
  const left = [...scripts]
  return (mail) => left.shift()?.(mail)
}

export type RecordingMailers = Mailers & {
  /** By the channel's key: `server`, `server:<region>`, `project:<project>:<region>`. */
  readonly at: (key: string) => RecordingMailer
  /** Makes `of` reject for that channel from now on. */
  readonly fail: (key: string, error: Error) => void
  /** Ends `fail`. */
  readonly mend: (key: string) => void
  /** Makes `of` never resolve for that channel. */
  readonly hang: (key: string) => void
}

/** A recording mailer for each channel; settings are given by the channel's key. */
export const recordingMailers = (
  settings: Readonly<Record<string, RecordingMailerSettings>> = {},
  { perRegion = false } = {},
): RecordingMailers => {
  const made = new Map<string, RecordingMailer>()
  const troubles = new Map<string, () => Promise<never>>()

  const at = (key: string): RecordingMailer => {
    const mailer = made.get(key) ?? recordingMailer(settings[key])
    made.set(key, mailer)
    return mailer
  }

  return {
    perRegion,
    at,
    of: async (channel: SendingChannel) => {
      const key = channelKey(channel)
      await troubles.get(key)?.()
      return at(key)
    },
    fail: (key, error) => {
      troubles.set(key, () => Promise.reject(error))
    },
    mend: (key) => {
      troubles.delete(key)
    },
    hang: (key) => {
      troubles.set(key, () => new Promise(() => {}))
    },
  }
}
