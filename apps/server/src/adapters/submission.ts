import type { SubmissionMeter, SubmissionServer } from '@posthorn/adapters-mail-in'
import type { Core, Log } from '@posthorn/core'
import type { Config } from '../config.js'

/** Bytes of a mail besides its attachments, which grow by base64 and line ends. */
const besideAttachments = 2 * 1024 * 1024
/** Bytes of small mails that an account's connections may hold at once. */
const smallMails = 8 * 1024 * 1024

/** Undefined without the API role. @throws errors of the port or the certificate */
export const startSubmissionServer = async (
  config: Config['submission'],
  roles: Config['roles'],
  { submission }: Pick<Core, 'submission'>,
  log: Log,
  meter: SubmissionMeter,
): Promise<SubmissionServer | undefined> => {
  if (!config || !roles.has('api')) return undefined
  const { rate, attachments, ...listener } = config
  const { submissionServer } = await import('@posthorn/adapters-mail-in')
  const message = Math.ceil(attachments * 1.37) + besideAttachments
  const server = await submissionServer({
    ...listener,
    submission,
    log,
    meter,
    limits: { rate, message, memory: 3 * message + 4 * smallMails, memoryPerAccount: 2 * message + smallMails },
  })
  log('info', 'Accepting mails of programs by SMTP', {
    port: server.port,
    host: config.host,
    tls: config.certificate !== undefined,
  })
  return server
}
