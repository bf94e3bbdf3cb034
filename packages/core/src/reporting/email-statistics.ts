import { z } from 'zod'
import type { Campaign } from '../campaigns/campaign.js'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { TriggeredEmail } from '../emails/triggered-emails.js'
import { type ListQuery, newestRecords } from '../kernel/listing.js'
import { messageWithoutFieldName, runRuleEvenIfInvalid } from '../kernel/parsed.js'
import type { Clock, Secrets } from '../kernel/ports.js'
import { notFound } from '../kernel/refusal.js'
import { getOrNotFound, ifKeyTaken, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Count } from '../kernel/shapes.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import type { EmailRecord } from '../mail/content.js'
import type { Retention } from '../retention/retention.js'
import type { Deliveries, DeliveryQuery } from '../sending/ledger/deliveries.js'
import { type Dispatch, directEmailId } from '../sending/ledger/dispatch.js'
import {
  type EmailErrorLog,
  type ErrorLogReadMark,
  errorLogOfStoppedDispatch,
  errorLogPage,
  errorLogView,
  failedDeliveriesPage,
  mostLoggedDispatchStops,
} from './error-log.js'
import { type FigureMetric, type Figures, figureMetricNames, figureSubject, type TimeSpan } from './figures/figure.js'
import { SpanQuery, spanOf } from './figures/span.js'
import { longestSpanDays, periodsBetween, type ReportInterval, reportIntervals } from './periods.js'
import { type EmailRecipient, recipientDeliveryQuery, recipientView } from './recipients.js'

/** The first metric divided by the second. */
const rates = {
  clicksPerUniqueOpens: ['clicks', 'uniqueOpens'],
  uniqueClicksPerUniqueOpens: ['uniqueClicks', 'uniqueOpens'],
  unsubscribePerUniqueOpens: ['unsubscribe', 'uniqueOpens'],
} as const satisfies Record<string, readonly [FigureMetric, FigureMetric]>
type Rate = keyof typeof rates

const seriesMetrics = [...figureMetricNames, ...(Object.keys(rates) as Rate[])] as const

const rateTerms = (metric: string): readonly [FigureMetric, FigureMetric] | undefined =>
  Object.hasOwn(rates, metric) ? rates[metric as Rate] : undefined

export const StatisticsQuery = z
  .strictObject({
    ...SpanQuery.shape,
    interval: z.enum(reportIntervals).optional().describe('Returns a series; requires `metric`'),
    metric: z.enum(seriesMetrics).optional().describe('Metric of the series; requires `interval`'),
  })
  .refine(({ interval, metric }) => (interval === undefined) === (metric === undefined), {
    ...messageWithoutFieldName('Give both interval and metric, or neither.'),
    path: ['interval'],
    ...runRuleEvenIfInvalid,
  })
export type StatisticsQuery = z.output<typeof StatisticsQuery>

export const EmailTotals = z
  .object({
    opens: Count.describe('Number of opens'),
    clicks: Count.describe('Number of clicks'),
    uniqueOpens: Count.describe('Mails opened at least once'),
    uniqueClicks: Count.describe('Mails with at least one click'),
    machineOpens: Count.describe('Image requests by machines; not counted as opens'),
    machineClicks: Count.describe('Link requests by machines; not counted as clicks'),
    sent: Count.describe('Mails that the provider accepted'),
    failed: Count.describe('Mails that could not be sent'),
    bounce: Count.describe('Permanent bounces'),
    complaint: Count.describe('Spam complaints'),
  })
  .meta({ id: 'EmailTotals' })

export const EmailSeries = z
  .object({
    interval: z.enum(reportIntervals).describe('Length of a period'),
    metric: z.enum(seriesMetrics).describe('Metric of the series'),
    from: z.string().describe('Start of the range'),
    to: z.string().describe('End of the range'),
    timeZone: z.string().describe('Zone in which days, weeks and months begin'),
    buckets: z
      .array(
        z.object({
          period: z
            .string()
            .describe(
              '2026-01-06T13:00 by the hour, 2026-01-06 by the day, its Monday by the week, 2026-01 by the month',
            ),
          count: Count.optional().describe('For counted metrics'),
          rate: z.number().optional().describe('For metrics that are ratios; 0 if nothing was opened'),
        }),
      )
      .describe('One for each period, in order'),
  })
  .meta({ id: 'EmailSeries' })

/** The statistics of one email: sums, or a series if the query requests one. */
export const EmailStatistics = z.union([EmailTotals, EmailSeries])
export type EmailStatistics = z.output<typeof EmailStatistics>

const noEvents = Object.fromEntries(Object.keys(EmailTotals.shape).map((name) => [name, 0]))

const totalsView = ({
  bounces: bounce = 0,
  complaints: complaint = 0,
  ...sums
}: Readonly<Partial<Record<FigureMetric, number>>>) => EmailTotals.parse({ ...noEvents, ...sums, bounce, complaint })

type Deps = {
  readonly repositories: RepositoriesFor<{
    campaigns: Campaign
    triggeredEmails: TriggeredEmail
    transactionalEmails: TransactionalEmail
    errorLogReadings: ErrorLogReadMark
    dispatches: Dispatch
  }>
  readonly deliveries: Pick<Deliveries, 'list'>
  readonly figures: Figures
  readonly secrets: Pick<Secrets, 'digest'>
  readonly clock: Clock
  readonly settings: { readonly retention: Pick<Retention, 'errors'> }
}

const emailKinds = ['campaigns', 'triggeredEmails', 'transactionalEmails'] as const
export type EmailKind = (typeof emailKinds)[number]

type Series = {
  readonly interval: ReportInterval
  readonly metric: StatisticsQuery['metric']
  readonly timeZone: string
}

/** gaps.md, "Statistics". */
export const statisticsUseCases = ({ repositories, deliveries, figures, secrets, clock, settings }: Deps) => {
  const { errorLogReadings } = repositories

  const assertEmail = async ({ projectId }: Scope, kind: EmailKind, id: string): Promise<void> => {
    await getOrNotFound<EmailRecord>(repositories[kind], { _id: id, projectId })
  }

  const assertAnyEmail = async ({ projectId }: Scope, id: string): Promise<void> => {
    const found = await Promise.all(emailKinds.map((kind) => repositories[kind].get({ _id: id, projectId })))
    if (found.every((one) => one === undefined)) throw notFound('Email')
  }

  /** The error log was read up to that time. */
  const noteReading = async (projectId: string, id: string, now: Date): Promise<void> => {
    const readAt = new Date(now.getTime() + 1).toISOString()
    const known = await errorLogReadings.change({ _id: id, projectId }, (current) => ({ ...current, readAt }))
    if (known) return
    await errorLogReadings.add({ _id: id, projectId, readAt }).catch(ifKeyTaken(() => undefined))
  }

  const series = async (id: string, { interval, metric = 'sent', timeZone }: Series, span: TimeSpan) => {
    const from = span.from ?? ''
    const to = span.to ?? ''
    const periods = periodsBetween(interval, timeZone, from, to)
    const sums = async (of: FigureMetric) => {
      const byPeriod = new Map<string, number>()
      for (const { slot, n } of await figures.slots(figureSubject.email(id), of, span)) {
        const period = periods.of(slot)
        byPeriod.set(period, (byPeriod.get(period) ?? 0) + n)
      }
      return (period: string) => byPeriod.get(period) ?? 0
    }
    const rate = rateTerms(metric)
    const [counted, over] = await Promise.all((rate ?? [metric as FigureMetric]).map(sums))
    const buckets = periods.names.map((period) => {
      const n = counted?.(period) ?? 0
      const per = over?.(period) ?? 0
      return rate ? { period, rate: per === 0 ? 0 : n / per } : { period, count: n }
    })
    return { interval, metric, from, to, timeZone, buckets }
  }

  /** The newest, to several recipients. */
  const stoppedSince = async (projectId: string, emailId: string, since: string): Promise<readonly EmailErrorLog[]> => {
    const where = { emailId, projectId, stage: 'stopped' } as const
    return (await newestRecords(repositories.dispatches, where, 'createdAt', mostLoggedDispatchStops))
      .filter(({ errorMessage }) => errorMessage)
      .map(errorLogOfStoppedDispatch)
      .filter(({ createdAt }) => createdAt >= since)
  }

  const statisticsOf = async (id: string, query: StatisticsQuery): Promise<EmailStatistics> => {
    const { interval, metric, timeZone } = query
    const span = spanOf(query, clock(), interval && { interval, days: longestSpanDays[interval] })
    if (!interval) return totalsView(await figures.totals(figureSubject.email(id), span))
    return series(id, { interval, metric, timeZone }, { from: span.from, to: span.to })
  }

  const recipientsOf = async (query: DeliveryQuery): Promise<Page<EmailRecipient>> => {
    const { items, count } = await deliveries.list(query)
    return { items: items.map(recipientView), count }
  }

  return {
    /**
     * A series if the query has an interval and a metric.
     * @throws Refusal `invalid`, `not-found`
     */
    ofEmail: async (scope: Scope, kind: EmailKind, id: string, query: StatisticsQuery): Promise<EmailStatistics> => {
      await assertEmail(scope, kind, id)
      return statisticsOf(id, query)
    },

    /** Of all mails without a stored email. @throws Refusal `invalid` */
    ofDirect: async ({ projectId }: Scope, query: StatisticsQuery): Promise<EmailStatistics> =>
      statisticsOf(directEmailId(secrets, projectId), query),

    /** Like `recipients`, of all mails without a stored email. @throws Refusal `invalid` */
    directRecipients: async ({ projectId }: Scope, query: ListQuery): Promise<Page<EmailRecipient>> =>
      recipientsOf(recipientDeliveryQuery({ emailId: directEmailId(secrets, projectId), projectId }, query)),

    /** Past and queued recipients; excluded ones only if the query requests them. @throws Refusal `invalid`, `not-found` */
    recipients: async (scope: Scope, kind: EmailKind, id: string, query: ListQuery): Promise<Page<EmailRecipient>> => {
      const asked = recipientDeliveryQuery({ emailId: id, projectId: scope.projectId }, query)
      await assertEmail(scope, kind, id)
      return recipientsOf(asked)
    },

    /**
     * Newest first, within the retention of errors. `unseenCount`: since the last reading; reading with a read-only key does not change it.
     * @throws Refusal `not-found`
     */
    errorLog: async (
      scope: Scope,
      id: string,
      { skip, limit }: Pick<ListQuery, 'skip' | 'limit'>,
    ): Promise<Page<EmailErrorLog> & { readonly unseenCount: number }> => {
      await assertAnyEmail(scope, id)
      const { projectId } = scope
      const now = clock()
      const oldest = instantDaysBefore(now, settings.retention.errors)
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
        failedSince(oldest, failedDeliveriesPage({ skip, limit }, stopped.length)),
        failedSince(unseenFrom, { skip: 0, limit: 1 }),
      ])
      if (scope.apiKey?.scope !== 'read') await noteReading(projectId, id, now)
      return {
        items: errorLogPage({ skip, limit }, stopped, items.map(errorLogView)),
        count: count + stopped.length,
        unseenCount: unseen.count + stopped.filter(({ createdAt }) => createdAt >= unseenFrom).length,
      }
    },
  }
}
