import type { Mailer } from '@posthorn/core/ports/transport'

/** Placeholder of a mail's reference. */
const place = '{}'

/** Templates of the providers' header lines. */
export const namingHeaders = (lines: readonly ((reference: string) => string)[]): readonly string[] =>
  lines.map((line) => line(place))

/**
 * Adds the providers' header fields with each mail's reference.
 * @param headers result of `namingHeaders`
 */
export const namedBy = (mailer: Mailer, headers: readonly string[]): Mailer =>
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
