import type { Log } from '@posthorn/core'
import type { Mail, Mailer, MailOutcome } from '@posthorn/core/ports'
import { isPath } from './message-text.js'
import { refused } from './outcome.js'
import { smtpPool } from './pool.js'
import { NoSession, openSession } from './session.js'
import { type SmtpOptions, smtpSettings } from './smtp-settings.js'
import { smtpUrl } from './smtp-url.js'

/** Mails for each connection at once: one whose answer is awaited, the envelope of the next, and one that is ready to follow. */
const mailsPerConnection = 3

const malformedAddressOf = ({ from, envelopeFrom = from, to }: Mail): MailOutcome | undefined => {
  if (!isPath(envelopeFrom)) return refused('MalformedAddress', 'The sender address cannot be sent by SMTP')
  if (!isPath(to)) return refused('MalformedAddress', 'The recipient address cannot be sent by SMTP')
  return undefined
}

/**
 * Sends through an SMTP relay (RFC 5321) over kept connections, pipelined where the server offers it (RFC 2920). `url` is an
 * `SMTP_URL`; options beside it win. A server that refuses the connection, TLS or the password defers mails: that is the
 * operator's to mend, not the mail's end. Addresses with anything that could end a command are refused before anything is written.
 * @throws WrongSmtpOptions
 */
export const smtpMailer = ({
  url,
  log = () => {},
  ...options
}: SmtpOptions & { readonly url?: string; readonly log?: Log }): Mailer => {
  const settings = smtpSettings({ ...(url !== undefined && smtpUrl(url)), ...options })
  const pool = smtpPool(settings, log)

  return {
    send: (mail) => {
      const malformed = malformedAddressOf(mail)
      return malformed ? Promise.resolve(malformed) : pool.send(mail)
    },
    ratePerSecond: async () => undefined,
    reportsSends: false,
    concurrency: settings.pool * mailsPerConnection,
    check: async () => {
      try {
        const { channel } = await openSession(settings)
        channel.quit()
      } catch (error) {
        if (!(error instanceof NoSession)) throw error
        throw new Error(`SMTP server ${settings.host}:${settings.port}: ${error.message}`)
      }
    },
    close: pool.close,
  }
}
