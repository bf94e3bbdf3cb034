import type { SubmissionMeter, SubmissionServer } from '@posthorn/adapters-mail-in'
import type { Core, Log } from '@posthorn/core'
import type { RateLimit } from '@posthorn/core/ports/runtime'

export type SubmissionConfig = {
  readonly port: number
  readonly host: string
  /** In SMTP: the host name of the server. */
  readonly name: string
  /** PEM files for STARTTLS. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined
  /** Of a project, as of its requests. */
  readonly rate: RateLimit
  /** Bytes of a mail's attachments. */
  readonly attachments: number
}

/** Bytes of a mail beside its attachments, in whose place base64 has four thirds and line ends. */
const besideAttachments = 2 * 1024 * 1024
/** Bytes of the small mails that all connections of an account may hold at the same time. */
const smallMails = 8 * 1024 * 1024

/** Undefined if this process serves no requests. @throws errors of the port or the certificate */
export const openSubmission = async (
  config: SubmissionConfig | undefined,
  roles: ReadonlySet<'api' | 'worker'>,
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
