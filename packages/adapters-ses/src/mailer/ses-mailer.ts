import type { Log } from '@posthorn/core'
import type { Mail, Mailer, MailOutcome, Tenant } from '@posthorn/core/ports'
import { leanSender } from '../lean/lean-sender.js'
import { standardLimits } from '../request-handler.js'
import { connectedSesClient, type SesOptions } from '../ses-client.js'
import { accountState } from './account-state.js'
import { concernsAccount, isDayUsedUp, outcomeOf, refused } from './outcome.js'

export type SesMailerOptions = SesOptions & {
  readonly region: string
  /** What mails go by that have no tenant: without one, SES tells nothing of what becomes of them. */
  readonly configurationSet?: string | (() => Promise<string | undefined>) | undefined
  /** Where SES keeps the mail's project apart from others; nowhere unless given. */
  readonly tenantOf?: (mail: Pick<Mail, 'projectId' | 'from'>) => Promise<Tenant | undefined>
  /** Whether events of mails come back, so that an unknown outcome may be waited for. */
  readonly reportsSends?: boolean
  /** Whether the account is a project's own, and what is wrong with it its owner's to mend. */
  readonly isOwn?: boolean
  readonly log?: Log
  readonly now?: () => number
}

/** RFC 5321: at most 254 characters, ASCII, and nothing that could begin or end another address. */
const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/.test(text) && !text.includes(',')

/** Sends through Amazon SES, in one region, the same bytes as by SMTP. Never throws for a mail. */
export const sesMailer = ({
  region,
  configurationSet,
  tenantOf = async () => undefined,
  reportsSends = false,
  isOwn = false,
  log = () => {},
  now = Date.now,
  ...options
}: SesMailerOptions): Mailer => {
  const { client, connections } = connectedSesClient(region, options)
  const account = accountState(client, { log, now, isOwn })

  const sendEmail = leanSender(client, region, connections)

  const sent = async (mail: Mail): Promise<string> => {
    const tenant = await tenantOf({ projectId: mail.projectId, from: mail.from })
    const standard = typeof configurationSet === 'function' ? await configurationSet() : configurationSet
    return sendEmail({ ...mail, configurationSet: tenant?.configurationSet ?? standard, tenant: tenant?.name })
  }

  /** What its owner has to mend. The server's own account is its operator's, whose mails are not to fail at once. */
  const toMend = async () => {
    const { problem, passes = false } = (await account.current()) ?? {}
    return passes ? undefined : problem
  }

  return {
    send: async (mail): Promise<MailOutcome> => {
      if (!isAddress(mail.from)) return refused('MalformedAddress', 'The sender address cannot be sent by SES')
      if (!isAddress(mail.to)) return refused('MalformedAddress', 'The recipient address cannot be sent by SES')
      try {
        return { kind: 'accepted', providerMessageId: await sent(mail) }
      } catch (error) {
        if (concernsAccount(error) || isDayUsedUp(error)) account.doubt()
        return outcomeOf(error, isOwn)
      }
    },
    ratePerSecond: async () => (await account.current())?.ratePerSecond,
    ...(isOwn && { problem: toMend }),
    waitsFor: async () => {
      const { problem, passes = false } = (await account.current()) ?? {}
      return passes ? problem : undefined
    },
    reportsSends,
    concurrency: options.limits?.connections ?? standardLimits.connections,
    check: account.check,
    close: async () => client.destroy(),
  }
}
