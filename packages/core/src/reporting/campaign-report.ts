import { z } from 'zod'
import { type Campaign, campaignStatuses } from '../campaigns/campaign.js'
import { Count, Id, Instant } from '../kernel/shapes.js'
import { exclusionReasons } from '../sending/ledger/delivery.js'
import type { ResultCounts } from '../sending/ledger/dispatch-results.js'
import type { ClickedLink } from '../tracking/clicked-links.js'
import { type Figure, type FigureMetric, quarterHourEnd } from './figures/figure.js'
import { periodsBetween, type ReportInterval } from './periods.js'

export const CampaignReport = z
  .object({
    campaignId: Id,
    name: z.string().describe('Name of the campaign; recipients do not see it'),
    subject: z.string().describe('As stored, with its merge tags'),
    status: z.enum(campaignStatuses).describe('While `being-sent`, recipients are still added'),
    errorMessage: z.string().optional().describe('Why its status is error'),
    recipients: Count.describe('All recipients: sent, failed, excluded and waiting'),
    sent: Count.describe('Mails that the provider accepted'),
    failed: Count.describe('Mails that could not be sent; `failures` says why'),
    excluded: Count.describe('Recipients who get no mail; `exclusions` says why'),
    waiting: Count.describe('Mails that are queued, or whose outcome is not known yet'),
    bounced: Count.describe('Permanent bounces, also those refused at once, which count as failed too'),
    complained: Count.describe('Mails that were reported as spam'),
    opens: Count.describe('Number of opens'),
    uniqueOpens: Count.describe('Mails opened at least once'),
    clicks: Count.describe('Number of clicks'),
    uniqueClicks: Count.describe('Mails with at least one click'),
    unsubscribed: Count.describe('Recipients who unsubscribed through a link in the mail'),
    paused: Count.describe('Recipients who paused through a link in the mail'),
    failures: z
      .array(
        z.object({
          name: z.string().describe('Kind of the error, or the code of the relay'),
          message: z
            .string()
            .describe(
              'Response of the relay, with its reply code, or error of the renderer; 550 and 554 are separate reasons',
            ),
          count: Count.describe('Mails that failed for this reason'),
        }),
      )
      .describe('Why mails failed, the most frequent reason first; at most 50'),
    exclusions: z
      .array(
        z.object({
          reason: z.enum(exclusionReasons).describe('Reason'),
          count: Count.describe('Recipients excluded for this reason'),
        }),
      )
      .describe('Why recipients were excluded, the most frequent reason first'),
    links: z
      .array(
        z.object({
          link: z.string().describe('As in the email, without the values of merge tags'),
          blockPosition: z.string().optional().describe('Position in the document'),
          blockName: z.string().optional().describe('Name of the block that contains it'),
          clicks: Count.describe('Number of clicks on it'),
          uniqueClicks: Count.describe('Mails in which it was clicked at least once'),
        }),
      )
      .describe('Clicked links, the most clicked first; at most 100'),
    otherClicks: Count.describe('Clicks on all other links'),
    otherUniqueClicks: Count.describe('Mails with a click on one of those'),
    recipientsRemovedAt: Instant.optional().describe('When removal of its recipients began; the numbers are from then'),
  })
  .meta({ id: 'CampaignReport' })
export type CampaignReport = z.output<typeof CampaignReport>

/** Current or recent, for the operator. */
export type OperatorCampaignSummary = Pick<
  CampaignReport,
  'campaignId' | 'name' | 'status' | 'sent' | 'failed' | 'excluded' | 'waiting'
> & {
  readonly scheduledTo?: string | undefined
  /** Recipients are still being added. */
  readonly expanding: boolean
  /** Valid for a day. */
  readonly reportUrl: string
}

/** `uniqueClicks`: mails with clicks. */
export type LinkClicks = { readonly clicks: number; readonly uniqueClicks: number }
type Counted = LinkClicks & { readonly link: ClickedLink }

const mostFirst = (a: { readonly count: number }, b: { readonly count: number }) => b.count - a.count

export const reportCountsOf = ({ byStatus, marks: { opens, clicks } }: Pick<ResultCounts, 'byStatus' | 'marks'>) => {
  const { queued, sending, uncertain, ...decided } = byStatus
  return {
    recipients: Object.values(byStatus).reduce((sum, n) => sum + n, 0),
    ...decided,
    waiting: queued + sending + uncertain,
    ...{ opens: opens.times, uniqueOpens: opens.mails, clicks: clicks.times, uniqueClicks: clicks.mails },
  }
}

export const campaignReportOf = (
  { _id, name, subject, status, errorMessage }: Campaign,
  { byStatus, excluded, failures, marks }: ResultCounts,
  links: readonly Counted[],
  others: LinkClicks,
  recipientsRemovedAt?: string,
): CampaignReport =>
  CampaignReport.parse({
    campaignId: _id,
    name,
    subject,
    status,
    errorMessage,
    ...reportCountsOf({ byStatus, marks }),
    bounced: marks.bounced.mails,
    complained: marks.complained.mails,
    unsubscribed: marks.unsubscribed.mails,
    paused: marks.paused.mails,
    failures: failures.map(({ name: reason, message, mails }) => ({ name: reason, message, count: mails })),
    exclusions: Object.entries(excluded)
      .map(([reason, n]) => ({ reason, count: n }))
      .sort(mostFirst),
    links: links.map(({ link, ...clicks }) => ({ ...link, ...clicks })).sort((a, b) => b.clicks - a.clicks),
    otherClicks: others.clicks,
    otherUniqueClicks: others.uniqueClicks,
    recipientsRemovedAt,
  })

export const timelineMetrics = ['sent', 'opens', 'clicks', 'bounces'] as const satisfies readonly FigureMetric[]
export type TimelineMetric = (typeof timelineMetrics)[number]

/** Until 99 % of the events had happened. */
export type ReportTimeline = {
  readonly interval: ReportInterval
  /** Days begin in it. */
  readonly timeZone: string
  /** In order; empty without events. */
  readonly buckets: readonly ({ readonly period: string } & Readonly<Record<TimelineMetric, number>>)[]
  /** After the last bucket. */
  readonly later: Readonly<Record<TimelineMetric, number>>
}

type Slots = Readonly<Record<TimelineMetric, readonly Pick<Figure, 'slot' | 'n'>[]>>

const hour = 60 * 60_000
const day = 24 * hour

/** Share of the events shown: a mail opened months later must not squeeze the chart. */
const shown = 0.99

/** In ms, the minimum length of a series. */
const shortest = 24 * hour

const intervalOf = (span: number): ReportInterval => {
  if (span <= 4 * day) return 'hourly'
  if (span <= 60 * day) return 'daily'
  return span <= 366 * day ? 'weekly' : 'monthly'
}

const none: Readonly<Record<TimelineMetric, number>> = { sent: 0, opens: 0, clicks: 0, bounces: 0 }

const together = (slots: Slots): readonly (readonly [slot: string, n: number])[] => {
  const sums = new Map<string, number>()
  for (const metric of timelineMetrics)
    for (const { slot, n } of slots[metric]) if (n > 0) sums.set(slot, (sums.get(slot) ?? 0) + n)
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** By then, 99 % of the events had happened. */
const lastShown = (sums: ReturnType<typeof together>): string => {
  const enough = shown * sums.reduce((sum, [, n]) => sum + n, 0)
  let seen = 0
  for (const [slot, n] of sums) {
    seen += n
    if (seen >= enough) return slot
  }
  return ''
}

/** Hours, days, weeks or months, so that the number of buckets stays readable. */
export const reportTimeSeries = (slots: Slots, timeZone: string): ReportTimeline => {
  const sums = together(slots)
  const [[begin] = []] = sums
  if (begin === undefined) return { interval: 'hourly', timeZone, buckets: [], later: none }
  const from = Date.parse(`${begin}Z`)
  const end = Math.max(Date.parse(quarterHourEnd(`${lastShown(sums)}Z`)), from + shortest)
  const interval = intervalOf(end - from)
  const to = new Date(end).toISOString()
  const periods = periodsBetween(interval, timeZone, new Date(from).toISOString(), to)
  const buckets = new Map(periods.names.map((period) => [period, { period, ...none }]))
  const later = { ...none }
  for (const metric of timelineMetrics)
    for (const { slot, n } of slots[metric]) {
      const bucket = Date.parse(`${slot}Z`) < end ? buckets.get(periods.of(slot)) : undefined
      if (bucket) bucket[metric] = Math.max(0, bucket[metric] + n)
      else later[metric] += n
    }
  return { interval, timeZone, buckets: [...buckets.values()], later }
}

export const ReportLink = z
  .object({
    url: z.string().describe('Opens the report in a browser without a key. It shows numbers and no addresses'),
    expiresAt: Instant.describe('The link stops working then'),
  })
  .meta({ id: 'ReportLink' })
export type ReportLink = z.output<typeof ReportLink>
