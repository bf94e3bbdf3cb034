import { type Account, creditCounterKey } from '../../accounts/account.js'
import type { CounterTake } from '../../kernel/ports.js'
import { blocked, type Refusal } from '../../kernel/refusal.js'
import type { Project } from '../../projects/project.js'

export type QuotaSettings = {
  /** Mails per UTC day. */
  readonly sandboxDailyLimit: number
}

export const sandboxDayKey = (projectId: string, now: Date) =>
  `sandbox-day:${projectId}:${now.toISOString().slice(0, 10)}`

/** Counts without a limit, too: one may be set during a month. */
export const monthCounterKey = (projectId: string, now: Date) => `month:${projectId}:${now.toISOString().slice(0, 7)}`

const creditUsedUp = 'Insufficient credits available'
export const creditRefusal = (): Refusal => blocked(creditUsedUp)

export type Quota = CounterTake & { readonly name: 'credit' | 'sandbox-day' | 'month'; readonly refusal: string }

/** Credit first (gaps.md, sections 2 and 3). */
export const quotasFor = (
  project: Project,
  account: Account,
  n: number,
  now: Date,
  { sandboxDailyLimit }: QuotaSettings,
): readonly Quota[] => {
  const caps = {
    sandbox: {
      name: 'sandbox-day',
      key: sandboxDayKey(project._id, now),
      limit: sandboxDailyLimit,
      refusal: 'Daily sandbox limit exceeded',
    },
    production: {
      name: 'month',
      key: monthCounterKey(project._id, now),
      limit: project.monthlyLimit || undefined,
      refusal: 'Monthly limit exceeded',
    },
    byoCloudSes: undefined,
  } as const
  const credit = {
    name: 'credit',
    key: creditCounterKey(account._id),
    limit: account.creditGranted,
    refusal: creditUsedUp,
  } as const
  return [credit, caps[project.status]].flatMap((quota) => (quota ? [{ ...quota, n }] : []))
}

export const quotaRefusal = (quotas: readonly Quota[], refused: Pick<CounterTake, 'key'>): Refusal =>
  blocked(quotas.find(({ key }) => key === refused.key)?.refusal ?? creditUsedUp)
