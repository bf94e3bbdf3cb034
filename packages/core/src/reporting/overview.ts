import { z } from 'zod'
import { type Account, creditCounterKey } from '../accounts/account.js'
import type { IsDomainVerified } from '../domains/domain-check.js'
import type { Clock, Counters } from '../kernel/ports.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Count, Instant } from '../kernel/shapes.js'
import { isTimeZone } from '../kernel/zoned-time.js'
import type { Project } from '../projects/project.js'
import { monthCounterKey } from '../sending/acceptance/quota.js'
import { type Figures, figureSubject, quarterHourEnd } from './figures/figure.js'
import { periodsBetween } from './periods.js'

const Supply = z.object({
  left: z.int().describe('Mails that can still be sent'),
  perDay: z
    .number()
    .optional()
    .describe('Mails a day over the last 30 days; absent for an account with more than 50 projects'),
  endsAt: Instant.optional().describe('When nothing is left at this rate, if within 90 days'),
})

export const OverviewQuery = z.strictObject({
  timeZone: z
    .string()
    .refine(isTimeZone, 'expected an IANA time zone')
    .default('UTC')
    .describe('Time zone of the days'),
})

export const Overview = z
  .object({
    credit: Supply.describe('Of the account, for all of its projects'),
    month: Supply.extend({ limit: Count, sent: Count })
      .optional()
      .describe('The limit of the UTC month; absent without one. `endsAt` is within the month'),
    senderDomains: z
      .enum(['verified', 'relay', 'account'])
      .describe(
        'Domains that it sends from. verified: those with their DKIM records; relay: those that the relay of the server accepts; account: those that the project’s own account accepts',
      ),
    days: z
      .array(z.object({ day: z.string(), sent: Count, failed: Count }))
      .describe('Mails of the last 30 days, the oldest first'),
  })
  .meta({ id: 'Overview' })
export type Overview = z.output<typeof Overview>

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; accounts: Account }>
  readonly figures: Pick<Figures, 'slots' | 'totals'>
  readonly counters: Pick<Counters, 'used'>
  readonly clock: Clock
  readonly domainVerified?: IsDomainVerified | undefined
}

/** In ms. */
const day = 24 * 60 * 60_000
const [shownDays, foreseenDays, mostProjects] = [30, 90, 50] as const

/** When `left` is used up; undefined if nothing is used, or later than `until`. */
export const creditExhaustedAt = (left: number, perDay: number, now: Date, until: Date): string | undefined => {
  if (left <= 0) return now.toISOString()
  const at = now.getTime() + (left / perDay) * day
  return perDay > 0 && at <= until.getTime() ? new Date(at).toISOString() : undefined
}

const monthEnd = (now: Date) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))

/** What the start page of a project shows of its supplies and its mails. */
export const overviews = ({ repositories: { projects, accounts }, figures, counters, clock, domainVerified }: Deps) => {
  const sentSince = async (projectId: string, from: string): Promise<number> =>
    (await figures.totals(figureSubject.project(projectId), { from })).sent ?? 0

  /** Of all projects that share the credit. */
  const accountRate = async (accountId: string, from: string): Promise<number | undefined> => {
    const sort = { by: '_id', order: 'asc' } as const
    const page = await projects.list({ where: { accountId }, sort, skip: 0, limit: mostProjects })
    if (page.count > mostProjects) return undefined
    const sent = await Promise.all(page.items.map(({ _id }) => sentSince(_id, from)))
    return sent.reduce((sum, n) => sum + n, 0) / shownDays
  }

  const supply = (left: number, perDay: number | undefined, until: Date) => {
    const endsAt = creditExhaustedAt(left, perDay ?? 0, clock(), until)
    return { left, ...(perDay !== undefined && { perDay }), ...(endsAt !== undefined && { endsAt }) }
  }

  return {
    /** @throws Refusal `not-found` */
    get: async ({ projectId }: Scope, { timeZone }: z.output<typeof OverviewQuery>): Promise<Overview> => {
      const now = clock()
      const [from, to] = [
        new Date(now.getTime() - (shownDays - 1) * day).toISOString(),
        quarterHourEnd(now.toISOString()),
      ]
      const subject = figureSubject.project(projectId)
      const project = await getOrNotFound(projects, { _id: projectId })
      const account = await getOrNotFound(accounts, { _id: project.accountId })
      const [used, sentInMonth, perDay, ownSent, sent, failed] = await Promise.all([
        counters.used(creditCounterKey(account._id)),
        counters.used(monthCounterKey(projectId, now)),
        accountRate(account._id, new Date(now.getTime() - shownDays * day).toISOString()),
        sentSince(projectId, new Date(now.getTime() - shownDays * day).toISOString()),
        figures.slots(subject, 'sent', { from, to }),
        figures.slots(subject, 'failed', { from, to }),
      ])
      const { names, of } = periodsBetween('daily', timeZone, from, to)
      const countIn = (slots: typeof sent, name: string) =>
        slots.reduce((sum, { slot, n }) => (of(slot) === name ? sum + n : sum), 0)
      const { monthlyLimit: limit, status } = project
      const hasLimit = status === 'production' && limit > 0
      return Overview.parse({
        credit: supply(account.creditGranted - used, perDay, new Date(now.getTime() + foreseenDays * day)),
        ...(hasLimit && {
          month: { ...supply(limit - sentInMonth, ownSent / shownDays, monthEnd(now)), limit, sent: sentInMonth },
        }),
        senderDomains: status === 'byoCloudSes' ? 'account' : domainVerified ? 'relay' : 'verified',
        days: names.map((name) => ({ day: name, sent: countIn(sent, name), failed: countIn(failed, name) })),
      })
    },
  }
}
