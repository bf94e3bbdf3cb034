import { type Account, creditKey } from '../accounts/account.js'
import type { Take } from '../kernel/ports.js'
import { blocked, type Refusal } from '../kernel/refusal.js'
import type { Project } from '../projects/project.js'

export type QuotaSettings = {
  /** Mails that a project in sandbox may send in a UTC day. */
  readonly sandboxDailyLimit: number
}

/** The limits that `n` more mails of the project count against at that time (gaps.md, sections 2 and 3). */
export const takesFor = (
  project: Project,
  account: Account,
  n: number,
  now: Date,
  { sandboxDailyLimit }: QuotaSettings,
): readonly Take[] => {
  const iso = now.toISOString()
  const credit = { key: creditKey(account._id), n, limit: account.creditGranted }
  if (project.status === 'sandbox')
    return [credit, { key: `sandbox-day:${project._id}:${iso.slice(0, 10)}`, n, limit: sandboxDailyLimit }]
  if (project.status === 'production' && project.monthlyLimit > 0)
    return [credit, { key: `month:${project._id}:${iso.slice(0, 7)}`, n, limit: project.monthlyLimit }]
  return [credit]
}

const messages: readonly (readonly [prefix: string, message: string])[] = [
  ['credit:', 'Insufficient credits available'],
  ['sandbox-day:', 'Daily sandbox limit exceeded'],
  ['month:', 'Monthly limit exceeded'],
]

/** What the person is told when that limit is used up. */
export const quotaRefusal = (take: Take): Refusal =>
  blocked(messages.find(([prefix]) => take.key.startsWith(prefix))?.[1] ?? 'Limit exceeded')
