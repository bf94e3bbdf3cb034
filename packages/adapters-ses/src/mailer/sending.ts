import type { Mail, MailOutcome, Tenant } from '@posthorn/core/ports/transport'
import { leanSender, type SendAccess } from '../lean/lean-sender.js'
import type { ConnectionLimits } from '../request-handler.js'
import { knownTenants, type TenantOf } from './known-tenants.js'
import { concernsAccount, isDayUsedUp, outcomeOf, refused } from './outcome.js'

export type SendingOptions = {
  readonly region: string
  readonly limits: ConnectionLimits
  readonly access: () => SendAccess | Promise<SendAccess>
  readonly tenantOf: TenantOf | undefined
  /** For mails without a tenant. */
  readonly configurationSet: string | (() => Promise<string | undefined>) | undefined
  readonly isOwn: boolean
  /** Called when a mail was refused because of the account. */
  readonly doubt: () => void
  readonly now: () => number
}

/** RFC 5321: at most 254 characters, ASCII, none that could separate addresses. */
const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/.test(text) && !text.includes(',')

export const sesSending = ({
  region,
  limits,
  access,
  tenantOf,
  configurationSet,
  isOwn,
  doubt,
  now,
}: SendingOptions) => {
  const sender = leanSender(region, limits, access)
  const known = tenantOf && knownTenants(tenantOf, now)

  const sent = async (mail: Mail): Promise<string> => {
    const found = known?.(mail)
    const tenant: Tenant | undefined = found instanceof Promise ? await found : found
    const standard = typeof configurationSet === 'function' ? await configurationSet() : configurationSet
    return sender.send({ ...mail, configurationSet: tenant?.configurationSet ?? standard, tenant: tenant?.name })
  }

  return {
    /** Never throws for a mail. */
    send: async (mail: Mail): Promise<MailOutcome> => {
      if (!isAddress(mail.from)) return refused('MalformedAddress', 'The sender address cannot be sent by SES')
      if (!isAddress(mail.to)) return refused('MalformedAddress', 'The recipient address cannot be sent by SES')
      try {
        return { kind: 'accepted', providerMessageId: await sent(mail) }
      } catch (error) {
        if (concernsAccount(error) || isDayUsedUp(error)) doubt()
        return outcomeOf(error, isOwn)
      }
    },
    close: sender.close,
  }
}
