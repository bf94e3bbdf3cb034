import type { z } from 'zod'
import type { Campaign } from '../campaigns/campaign.js'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { TriggeredEmail } from '../emails/triggered-emails.js'
import { type Figures, type Metric, type Span, subjectOf } from '../figures/figure.js'
import type { ListQueryFields } from '../kernel/listing.js'
import type { Clock } from '../kernel/ports.js'
import { notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { ifKeyTaken, type Page } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { keptSince, type Retention } from '../retention/retention.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import type { ErrorLogReading } from './error-log.js'
import { deliveriesFor, type EmailErrorLog, errorLogView, mostStopped, pageOfBoth, stoppedView } from './error-log.js'
import { type Interval, periodsOf } from './periods.js'
import { type EmailRecipient, recipientQuery, recipientView } from './recipient.js'
import { type EmailStatistics, rateOf, type StatisticsQuery, spanOf, totalsView } from './statistics.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    campaigns: Campaign
    triggeredEmails: TriggeredEmail
    transactionalEmails: TransactionalEmail
    errorLogReadings: ErrorLogReading
    dispatches: Dispatch
  }>
  readonly deliveries: Pick<Deliveries, 'list'>
  readonly figures: Figures
  readonly clock: Clock
  readonly settings: { readonly retention: Pick<Retention, 'errors'> }
}

const emailKinds = {
  campaigns: 'Campaign',
  triggeredEmails: 'Triggered email',
  transactionalEmails: 'Transactional email',
} as const
export type EmailKind = keyof typeof emailKinds

type Series = { readonly interval: Interval; readonly metric: StatisticsQuery['metric']; readonly timeZone: string }

/** The statistics of an email's mails (gaps.md, "Statistics"). */
export const statisticsUseCases = ({ repositories, deliveries, figures, clock, settings }: Deps) => {
  const { errorLogReadings } = repositories

  const assertEmail = async ({ projectId }: Scope, kind: EmailKind, id: string): Promise<void> => {
    if (!(await repositories[kind].get({ _id: id, projectId }))) throw notFound(emailKinds[kind])
  }

  const assertAnyEmail = async ({ projectId }: Scope, id: string): Promise<void> => {
    const where = { _id: id, projectId }
    const kinds = Object.keys(emailKinds) as EmailKind[]
    const found = await Promise.all(kinds.map((kind) => repositories[kind].get(where)))
    if (found.every((one) => one === undefined)) throw notFound('Email')
  }

  /** Records that the error log has been read up to that time. */
  const noteReading = async (projectId: string, id: string, now: Date): Promise<void> => {
    const readAt = new Date(now.getTime() + 1).toISOString()
    const known = await errorLogReadings.change({ _id: id, projectId }, (current) => ({ ...current, readAt }))
    if (known) return
    await errorLogReadings.add({ _id: id, projectId, readAt }).catch(ifKeyTaken(() => undefined))
  }

  const series = async (id: string, { interval, metric = 'sent', timeZone }: Series, span: Required<Span>) => {
    const from = span.from ?? ''
    const to = span.to ?? ''
    const periods = periodsOf(interval, timeZone, from, to)
    const sums = async (of: Metric) => {
      const byPeriod = new Map<string, number>()
      for (const { slot, n } of await figures.slots(subjectOf.email(id), of, span)) {
        const period = periods.of(slot)
        byPeriod.set(period, (byPeriod.get(period) ?? 0) + n)
      }
      return (period: string) => byPeriod.get(period) ?? 0
    }
    const rate = rateOf(metric)
    const [counted, over] = await Promise.all((rate ?? [metric as Metric]).map(sums))
    const buckets = periods.names.map((period) => {
      const n = counted?.(period) ?? 0
      const per = over?.(period) ?? 0
      return rate ? { period, rate: per === 0 ? 0 : n / per } : { period, count: n }
    })
    return { interval, metric, from, to, timeZone, buckets }
  }

  /** The newest stopped dispatches to several recipients. */
  const stoppedSince = async (projectId: string, emailId: string, since: string): Promise<readonly EmailErrorLog[]> => {
    const { items } = await repositories.dispatches.list({
      where: { emailId, projectId, stage: 'stopped' },
      sort: { by: 'createdAt', order: 'desc' },
      skip: 0,
      limit: mostStopped,
    })
    return items
      .filter(({ errorMessage }) => errorMessage)
      .map(stoppedView)
      .filter(({ createdAt }) => createdAt >= since)
  }

  return {
    /**
     * Sums over a span, or a series if the query has an interval and a metric.
     * @throws Refusal `invalid`, `not-found`
     */
    ofEmail: async (scope: Scope, kind: EmailKind, id: string, query: StatisticsQuery): Promise<EmailStatistics> => {
      await assertEmail(scope, kind, id)
      const { interval, metric, timeZone } = query
      const span = spanOf(query, clock())
      if (!interval) return totalsView(await figures.totals(subjectOf.email(id), span))
      return series(id, { interval, metric, timeZone }, { from: span.from, to: span.to })
    },

    /**
     * All recipients of the email, past and queued; excluded ones only if the query requests them. @throws Refusal `invalid`, `not-found`
     */
    recipients: async (
      scope: Scope,
      kind: EmailKind,
      id: string,
      query: z.output<typeof ListQueryFields>,
    ): Promise<Page<EmailRecipient>> => {
      await assertEmail(scope, kind, id)
      const asked = recipientQuery({ emailId: id, projectId: scope.projectId }, query)
      const { items, count } = await deliveries.list(asked)
      return { items: items.map(recipientView), count }
    },

    /**
     * Why the email's mails were not sent or bounced, newest first, within the retention of errors. `unseenCount` counts the entries since
     * the last reading. Reading with a read-only key does not change it.
     * @throws Refusal `not-found`
     */
    errorLog: async (
      scope: Scope,
      id: string,
      { skip, limit }: Pick<z.output<typeof ListQueryFields>, 'skip' | 'limit'>,
    ): Promise<Page<EmailErrorLog> & { readonly unseenCount: number }> => {
      await assertAnyEmail(scope, id)
      const { projectId } = scope
      const now = clock()
      const oldest = keptSince(now, settings.retention.errors)
      const failedSince = (since: string, page: { readonly skip: number; readonly limit: number }) =>
        deliveries.list({
          where: { emailId: id, projectId, undelivered: true, since },
          by: 'updatedAt',
          order: 'desc',
          ...page,
        })
      const readAt = (await errorLogReadings.get({ _id: id, projectId }))?.readAt ?? oldest
      const unseenFrom = readAt < oldest ? oldest : readAt
      const stopped = await stoppedSince(projectId, id, oldest)
      const [{ items, count }, unseen] = await Promise.all([
        failedSince(oldest, deliveriesFor({ skip, limit }, stopped.length)),
        failedSince(unseenFrom, { skip: 0, limit: 1 }),
      ])
      if (scope.apiKey?.scope !== 'read') await noteReading(projectId, id, now)
      return {
        items: pageOfBoth({ skip, limit }, stopped, items.map(errorLogView)),
        count: count + stopped.length,
        unseenCount: unseen.count + stopped.filter(({ createdAt }) => createdAt >= unseenFrom).length,
      }
    },
  }
}
