import type { Log } from '@posthorn/core'
import type { Mail, Mailer, MailOutcome } from '@posthorn/core/ports/transport'
import { isSmtpPath } from './message-text.js'
import { oauth2Tokens } from './oauth2-tokens.js'
import { refusedOutcome } from './outcome.js'
import { smtpPool } from './pool.js'
import { NoSmtpSession, openSmtpSession } from './session.js'
import { type SmtpOptions, smtpSettings, smtpUrl } from './smtp-settings.js'

const place = '{}'

export const providerHeaderTemplates = (lines: readonly ((reference: string) => string)[]): readonly string[] =>
  lines.map((line) => line(place))

/**
 * Adds the providers' header fields with each mail's reference.
 * @param headers result of `providerHeaderTemplates`
 */
export const withProviderReferenceHeaders = (mailer: Mailer, headers: readonly string[]): Mailer =>
  headers.length === 0
    ? mailer
    : {
        ...mailer,
        tellsReference: true,
        send: async (mail) => {
          const { reference } = mail
          if (reference === undefined) return mailer.send(mail)
          const named = headers.map((line) => `${line.replace(`${place}`, () => reference)}\r\n`).join('')
          return mailer.send({ ...mail, mime: named + mail.mime })
        },
      }

/** One awaits its reply, the next one's envelope is sent, one is ready. */
const mailsPerConnection = 3

const malformedAddressOf = ({ from, envelopeFrom = from, to }: Mail): MailOutcome | undefined => {
  if (!isSmtpPath(envelopeFrom)) return refusedOutcome('MalformedAddress', 'The sender address is not valid in SMTP')
  if (!isSmtpPath(to)) return refusedOutcome('MalformedAddress', 'The recipient address is not valid in SMTP')
  return undefined
}

/**
 * RFC 5321 over pipelined connections (RFC 2920). Options override `url`, an `SMTP_URL`. If the server refuses the connection, TLS or the
 * password, mails are deferred: the operator can fix that.
 * @throws WrongSmtpOptions
 */
export const smtpMailer = ({
  url,
  log = () => {},
  ...options
}: SmtpOptions & { readonly url?: string; readonly log?: Log }): Mailer => {
  const settings = smtpSettings({ ...(url !== undefined && smtpUrl(url)), ...options })
  const tokens = settings.oauth2 && oauth2Tokens(settings.oauth2)
  const pool = smtpPool(settings, log, tokens)

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
        const { channel } = await openSmtpSession(settings, tokens)
        channel.quit()
      } catch (error) {
        if (!(error instanceof NoSmtpSession)) throw error
        throw new Error(`SMTP server ${settings.host}:${settings.port}: ${error.message}`)
      }
    },
    close: pool.close,
  }
}

/** Plain data. */
export type MailerInThreadOptions = {
  readonly smtp: SmtpOptions
  readonly headerTemplates: readonly string[]
}

/** Module of this mailer for a sending thread. */
export const smtpThreadModule = new URL('./in-thread.js', import.meta.url)

export const mailerInThread = ({ smtp, headerTemplates: headers }: MailerInThreadOptions, log: Log): Mailer =>
  withProviderReferenceHeaders(smtpMailer({ ...smtp, log }), headers)
