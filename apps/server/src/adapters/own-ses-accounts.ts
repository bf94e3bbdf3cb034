import { type Log, type Mailer, MailerUnavailable, type OwnAccountAccess } from '@posthorn/core'

type Opened = { readonly credentials: string; readonly mailer: Mailer }

/** Mails that are under way at once by a project's own account, and their connections. */
const connections = 20

/** The credentials that the SDK takes. @throws MailerUnavailable for a role */
const keysOf = ({ credentials }: OwnAccountAccess) => {
  if ('accessKeyId' in credentials) return credentials
  throw new MailerUnavailable(
    'This server cannot take on roles of projects’ own accounts yet. Store an access key in cloudConfig instead.',
  )
}

/**
 * Mailers of projects' own accounts at Amazon SES, one for each account and region; one whose credentials have changed is opened
 * anew, and the old one closed when its mails have had their time.
 */
export const ownSesAccounts = (log: Log, closeAfter = 2 * 60_000) => {
  const opened = new Map<string, Opened>()

  const open = async (access: OwnAccountAccess): Promise<Mailer> => {
    const credentials = keysOf(access)
    const { sesMailer } = await import('@posthorn/adapters-ses')
    return sesMailer({ region: access.region, aws: { credentials }, limits: { connections }, log })
  }

  const within = (mailer: Mailer, limit: number | undefined): Mailer => ({
    ...mailer,
    ratePerSecond: async () => {
      const rate = await mailer.ratePerSecond()
      return limit === undefined ? rate : Math.min(limit, rate ?? limit)
    },
  })

  const retire = (mailer: Mailer): void => {
    setTimeout(() => void mailer.close(), closeAfter).unref()
  }

  return {
    /** @throws MailerUnavailable where this server cannot enter by such credentials */
    of: async (access: OwnAccountAccess): Promise<Mailer> => {
      const key = `${access.projectId} ${access.region}`
      const credentials = JSON.stringify(access.credentials)
      const before = opened.get(key)
      if (before?.credentials === credentials) return within(before.mailer, access.limit)
      const mailer = await open(access)
      const meanwhile = opened.get(key)
      if (meanwhile) retire(meanwhile.mailer)
      opened.set(key, { credentials, mailer })
      return within(mailer, access.limit)
    },
    close: async (): Promise<void> => {
      await Promise.all([...opened.values()].map(({ mailer }) => mailer.close()))
      opened.clear()
    },
  }
}
