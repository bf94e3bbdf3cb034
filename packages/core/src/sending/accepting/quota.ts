import { type Account, creditKey } from '../../accounts/account.js'
import type { Take } from '../../kernel/ports.js'
import { blocked, type Refusal } from '../../kernel/refusal.js'
import type { Project } from '../../projects/project.js'

export type QuotaSettings = {
  /** Mails that a project in sandbox may send in a UTC day. */
  readonly sandboxDailyLimit: number
}

/** Counts a project's mails of a UTC day in sandbox. */
export const sandboxDayKey = (projectId: string, now: Date) =>
  `sandbox-day:${projectId}:${now.toISOString().slice(0, 10)}`

/** Counts a project's mails of a UTC month in production, limited or not: a limit may come in the middle of a month. */
export const monthKey = (projectId: string, now: Date) => `month:${projectId}:${now.toISOString().slice(0, 7)}`

/** The limits that `n` more mails of the project count against at that time (gaps.md, sections 2 and 3). */
export const takesFor = (
  project: Project,
  account: Account,
  n: number,
  now: Date,
  { sandboxDailyLimit }: QuotaSettings,
): readonly Take[] => {
  const credit = { key: creditKey(account._id), n, limit: account.creditGranted }
  if (project.status === 'sandbox')
    return [credit, { key: sandboxDayKey(project._id, now), n, limit: sandboxDailyLimit }]
  if (project.status === 'production')
    return [credit, { key: monthKey(project._id, now), n, limit: project.monthlyLimit || undefined }]
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
