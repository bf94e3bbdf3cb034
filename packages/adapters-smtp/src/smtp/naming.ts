import type { Mailer } from '@posthorn/core/ports'

/** Stands for a mail's reference in a header line. */
const place = '{}'

/** A provider's own header lines, of what they are when they name a reference. */
export const namingHeaders = (lines: readonly ((reference: string) => string)[]): readonly string[] =>
  lines.map((line) => line(place))

/** The mailer, whose mails say in the providers' own fields what they are called here. @param headers what `namingHeaders` made */
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
