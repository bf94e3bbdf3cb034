import type { Log } from '@posthorn/core'
import type { Mailer } from '@posthorn/core/ports/transport'
import { standardLimits } from '../request-handler.js'
import { type SesOptions, sesClient } from '../ses-client.js'
import { accountState } from './account-state.js'
import type { TenantOf } from './known-tenants.js'
import { sendAccess } from './send-access.js'
import { sesSending } from './sending.js'
import { answering, type ThreadAnswer, type ThreadQuestion } from './thread-questions.js'

export type SesMailerOptions = SesOptions & {
  readonly region: string
  /** For mails without a tenant; without a set, SES publishes no events for them. */
  readonly configurationSet?: string | (() => Promise<string | undefined>) | undefined
  /** Cached for a minute. */
  readonly tenantOf?: TenantOf
  /** Whether SES reports sends by events, so that an unknown outcome may be awaited. */
  readonly reportsSends?: boolean
  /** Whether a project owns the account. */
  readonly isOwn?: boolean
  readonly log?: Log
  readonly now?: () => number
}

export type SesMailer = Mailer & {
  /** Answers the mailer in the sending thread, which has neither SDK nor store. Never throws. */
  readonly answer: (question: ThreadQuestion) => Promise<ThreadAnswer>
}

/** Amazon SES in one region. Never throws for a mail. */
export const sesMailer = ({
  region,
  configurationSet,
  tenantOf,
  reportsSends = false,
  isOwn = false,
  log = () => {},
  now = Date.now,
  ...options
}: SesMailerOptions): SesMailer => {
  const client = sesClient(region, options)
  const account = accountState(client, { log, now, isOwn })
  const limits = { ...standardLimits, ...options.limits }
  const access = sendAccess(client)
  const { doubt } = account
  const sending = sesSending({ region, limits, access, tenantOf, configurationSet, isOwn, doubt, now })

  /** Only an own account's owner sees it: the operator's mails should not fail at once. */
  const toMend = async () => {
    const { problem, passes = false } = (await account.current()) ?? {}
    return passes ? undefined : problem
  }

  return {
    send: sending.send,
    ratePerSecond: async () => (await account.current())?.ratePerSecond,
    ...(isOwn && { problem: toMend }),
    waitsFor: async () => {
      const { problem, passes = false } = (await account.current()) ?? {}
      return passes ? problem : undefined
    },
    reportsSends,
    concurrency: limits.connections,
    check: account.check,
    answer: answering({ access, tenantOf, doubt }),
    close: async () => {
      sending.close()
      client.destroy()
    },
  }
}
