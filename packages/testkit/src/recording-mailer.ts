import type { Mail, Mailer, MailOutcome } from '@posthorn/core'

export type RecordingMailer = Mailer & {
  /** Every mail that was accepted, in order. */
  readonly sent: Mail[]
  /** Says what becomes of mails from now on; undefined: accepted. */
  readonly answer: (script: (mail: Mail) => MailOutcome | undefined | Promise<MailOutcome | undefined>) => void
}

/** A mailer that keeps what it is given, and answers as it is told. */
export const recordingMailer = (
  settings: { readonly ratePerSecond?: number; readonly reportsSends?: boolean; readonly concurrency?: number } = {},
): RecordingMailer => {
  const sent: Mail[] = []
  let script: Parameters<RecordingMailer['answer']>[0] = () => undefined
  return {
    sent,
    answer: (next) => {
      script = next
    },
    send: async (mail) => {
      const outcome = (await script(mail)) ?? { kind: 'accepted', providerMessageId: `recorded-${sent.length + 1}` }
      if (outcome.kind === 'accepted') sent.push(mail)
      return outcome
    },
    ratePerSecond: async () => settings.ratePerSecond,
    reportsSends: settings.reportsSends ?? false,
    concurrency: settings.concurrency ?? 10,
    check: async () => {},
    close: async () => {},
  }
}
