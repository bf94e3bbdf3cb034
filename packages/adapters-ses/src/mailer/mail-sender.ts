import type { Mail, MailOutcome, Tenant } from '@posthorn/core/ports/transport'
import type { HttpConnectionPoolLimits } from '../http/sdk-client.js'
import { type SesSendCredentials, sendEmailClient } from '../http/send-client.js'
import { isAccountError, isDailyQuotaError, outcomeOfError, refusedOutcome } from './outcome.js'

export type SesTenantOf = (mail: Pick<Mail, 'projectId' | 'from'>) => Promise<Tenant | undefined>

/** In ms. */
const rememberedFor = 60_000
const mostRemembered = 10_000

const cachedTenants = (look: SesTenantOf, now: () => number) => {
  const known = new Map<string, { readonly tenant: Tenant | undefined; readonly until: number }>()

  return ({ projectId, from }: Parameters<SesTenantOf>[0]): Tenant | undefined | Promise<Tenant | undefined> => {
    const key = `${projectId} ${from.slice(from.lastIndexOf('@') + 1).toLowerCase()}`
    const found = known.get(key)
    if (found && found.until > now()) return found.tenant
    return look({ projectId, from }).then((tenant) => {
      if (known.size >= mostRemembered) known.clear()
      known.set(key, { tenant, until: now() + rememberedFor })
      return tenant
    })
  }
}

export type MailSenderOptions = {
  readonly region: string
  readonly limits: HttpConnectionPoolLimits
  readonly access: () => SesSendCredentials | Promise<SesSendCredentials>
  readonly tenantOf: SesTenantOf | undefined
  readonly configurationSet: string | (() => Promise<string | undefined>) | undefined
  readonly isOwn: boolean
  /** A mail was refused because of the account. */
  readonly doubt: () => void
  readonly now: () => number
}

/** RFC 5321: at most 254 characters, ASCII, none that separates addresses. */
const isAddress = (text: string): boolean =>
  text.length <= 254 && /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/.test(text) && !text.includes(',')

export const sesMailSender = ({
  region,
  limits,
  access,
  tenantOf,
  configurationSet,
  isOwn,
  doubt,
  now,
}: MailSenderOptions) => {
  const sender = sendEmailClient(region, limits, access)
  const known = tenantOf && cachedTenants(tenantOf, now)

  const sent = async (mail: Mail): Promise<string> => {
    const found = known?.(mail)
    const tenant: Tenant | undefined = found instanceof Promise ? await found : found
    const standard = typeof configurationSet === 'function' ? await configurationSet() : configurationSet
    return sender.send({ ...mail, configurationSet: tenant?.configurationSet ?? standard, tenant: tenant?.name })
  }

  return {
    /** Never throws for a mail. */
    send: async (mail: Mail): Promise<MailOutcome> => {
      if (!isAddress(mail.from))
        return refusedOutcome('MalformedAddress', 'The sender address is not valid in Amazon SES')
      if (!isAddress(mail.to))
        return refusedOutcome('MalformedAddress', 'The recipient address is not valid in Amazon SES')
      try {
        return { kind: 'accepted', providerMessageId: await sent(mail) }
      } catch (error) {
        if (isAccountError(error) || isDailyQuotaError(error)) doubt()
        return outcomeOfError(error, isOwn)
      }
    },
    close: sender.close,
  }
}
