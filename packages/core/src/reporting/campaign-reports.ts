import { z } from 'zod'
import type { Campaign } from '../campaigns/campaign.js'
import { addressKey } from '../kernel/email-address.js'
import {
  collected,
  type ListQuery,
  listQueryViolations,
  newestRecords,
  parsedSortAndFilter,
  type SortAndFilterQuery,
} from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, Secrets } from '../kernel/ports.js'
import { assertNoViolations } from '../kernel/refusal.js'
import { getOrNotFound, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { Instant } from '../kernel/shapes.js'
import { type Violation, wrongFieldViolation } from '../kernel/violation.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import { type ExclusionReason, exclusionReasons } from '../sending/ledger/delivery.js'
import type { Dispatch } from '../sending/ledger/dispatch.js'
import { type DispatchResults, resultCountsOf } from '../sending/ledger/dispatch-results.js'
import { signedToken } from '../tokens/signed-token.js'
import { readToken } from '../tokens/tokens.js'
import type { EmailClickedLinks } from '../tracking/clicked-links.js'
import {
  type CampaignReport,
  campaignReportOf,
  type LinkClicks,
  type OperatorCampaignSummary,
  type ReportLink,
  type ReportTimeline,
  reportCountsOf,
  reportTimeSeries,
  timelineMetrics,
} from './campaign-report.js'
import { type FigureMetric, type Figures, figureSubject } from './figures/figure.js'
import { type EmailRecipient, exportedRecipients, RecipientExportFields } from './recipients.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ campaigns: Campaign; dispatches: Dispatch; emailLinks: EmailClickedLinks }>
  readonly deliveries: Pick<Deliveries, 'list'>
  readonly dispatchResults: DispatchResults
  readonly figures: Pick<Figures, 'slots' | 'totalsOf'>
  readonly secrets: Pick<Secrets, 'signed' | 'verifies'>
  readonly clock: Clock
  readonly settings: { readonly publicUrl: string }
}

const ReportLinkFields = z.strictObject({
  days: z.int().min(1).max(365).default(30).describe('Days for which the link opens the report'),
})
type ReportLinkFields = z.input<typeof ReportLinkFields>

export const RetriedMails = z
  .object({ again: z.int().min(0).describe('Failed mails that are sent again') })
  .meta({ id: 'RetriedMails' })

export const ExcludedRecipient = z
  .object({
    email: z.string().describe('Address of the excluded recipient'),
    reason: z.enum(exclusionReasons).describe('Why'),
    dispatchId: z.string().describe('Id of the dispatch'),
    deliveryId: z.string().describe('Id of the mail that was not sent'),
    createdAt: Instant.describe('When it became a recipient'),
  })
  .meta({ id: 'ExcludedRecipient' })
export type ExcludedRecipient = z.output<typeof ExcludedRecipient>

export const excludedRecipientFilters = ExcludedRecipient.pick({ email: true, reason: true }).shape

export const exclusionSortFields = ['createdAt', 'email'] as const

export const exclusionListQueryViolations = ({
  sort = 'createdAt',
  filter,
}: SortAndFilterQuery): readonly Violation[] => [
  ...(exclusionSortFields.some((field) => field === sort)
    ? []
    : [wrongFieldViolation('sort', `expected one of ${exclusionSortFields.join(', ')}`)]),
  ...listQueryViolations(excludedRecipientFilters, { filter }),
]

/** A page of the console's list. */
const mostCampaigns = 30

export const CampaignResultsQuery = z.strictObject({
  ids: z
    .string()
    .transform((text) => [...new Set(text.split(',').filter((id) => id !== ''))])
    .refine((ids) => ids.length >= 1 && ids.length <= mostCampaigns, `expected 1 to ${mostCampaigns} ids`)
    .describe('Ids of campaigns, separated by commas; others are ignored'),
})

const resultCounts = [
  'recipients',
  'sent',
  'failed',
  'excluded',
  'waiting',
  'opens',
  'uniqueOpens',
  'machineOpens',
  'clicks',
  'uniqueClicks',
  'machineClicks',
] as const

export const CampaignResults = z.object({
  items: z.array(
    z.object({
      campaignId: z.string(),
      ...(Object.fromEntries(resultCounts.map((name) => [name, z.int()])) as Record<
        (typeof resultCounts)[number],
        z.ZodInt
      >),
    }),
  ),
})
export type CampaignResults = z.output<typeof CampaignResults>

export type PublicCampaignReport = {
  readonly report: CampaignReport
  readonly timeline: ReportTimeline
  /** Start of the last dispatch. */
  readonly sentAt?: string | undefined
  readonly countedAt: string
}

const hour = 60 * 60_000
const day = 24 * hour

/** Per status. */
const mostUnderWay = 5

/** Counted from the ledger: for programs, and for people with a signed link. */
export const campaignReports = (deps: Deps) => {
  const { repositories, deliveries, dispatchResults, figures, secrets, clock, settings } = deps
  const { campaigns, dispatches, emailLinks } = repositories

  const campaignOf = ({ projectId }: Pick<Scope, 'projectId'>, id: string) =>
    getOrNotFound(campaigns, { _id: id, projectId })

  const sendingsOf = async ({ _id, projectId }: Campaign): Promise<readonly Pick<Dispatch, '_id' | 'pruned'>[]> => {
    const sendings: Pick<Dispatch, '_id' | 'pruned'>[] = []
    for await (const { _id: id, kind, stage, pruned } of dispatches.each({ emailId: _id, projectId }))
      if (kind === 'campaign' && stage !== 'held') sendings.push({ _id: id, ...(pruned && { pruned }) })
    return sendings
  }

  const counted = async (campaign: Campaign): Promise<CampaignReport> => {
    const { _id, projectId } = campaign
    const links = (await emailLinks.get({ _id, projectId }))?.links ?? []
    const others = figureSubject.link(_id, 'others')
    const subjects = [...links.map((_, place) => figureSubject.link(_id, place)), others]
    const sumsOf = async (metric: FigureMetric): Promise<Readonly<Record<string, number>>> =>
      links.length === 0 ? {} : figures.totalsOf(subjects, metric)
    const sendings = await sendingsOf(campaign)
    const [counts, clicks, uniqueClicks] = await Promise.all([
      resultCountsOf(dispatchResults, sendings),
      sumsOf('clicks'),
      sumsOf('uniqueClicks'),
    ])
    const clicksOf = (subject: string): LinkClicks => ({
      clicks: clicks[subject] ?? 0,
      uniqueClicks: uniqueClicks[subject] ?? 0,
    })
    const byLink = links.map((link, place) => ({ link, ...clicksOf(figureSubject.link(_id, place)) }))
    const removed = sendings.flatMap(({ pruned }) => pruned?.at ?? []).sort()
    return campaignReportOf(campaign, counts, byLink, clicksOf(others), removed[0])
  }

  const timeline = async ({ _id, timeZone }: Campaign): Promise<ReportTimeline> => {
    const slots = await Promise.all(
      timelineMetrics.map((metric) => figures.slots(figureSubject.email(_id), metric, {})),
    )
    const of = Object.fromEntries(timelineMetrics.map((metric, index) => [metric, slots[index] ?? []]))
    return reportTimeSeries(of as Parameters<typeof reportTimeSeries>[0], timeZone)
  }

  const linkTo = ({ _id }: Campaign, until: number): ReportLink => {
    const seconds = Math.floor(until / 1000)
    const token = signedToken(secrets, { purpose: 'report', e: _id, x: seconds })
    return { url: `${settings.publicUrl}/report?token=${token}`, expiresAt: new Date(seconds * 1000).toISOString() }
  }

  const underWay = async (campaign: Campaign): Promise<OperatorCampaignSummary> => {
    const { _id, name, status, scheduledTo, dispatchId } = campaign
    const dispatch = dispatchId === undefined ? undefined : await dispatches.get({ _id: dispatchId })
    const counts = reportCountsOf(await resultCountsOf(dispatchResults, dispatch ? [dispatch] : []))
    const { sent, failed, excluded, waiting } = counts
    return {
      campaignId: _id,
      name,
      status,
      scheduledTo,
      ...{ sent, failed, excluded, waiting },
      expanding: status === 'being-sent' && (dispatch === undefined || dispatch.stage === 'expanding'),
      // Stable for an hour, so that a cached overview does not change.
      reportUrl: linkTo(campaign, Math.ceil((clock().getTime() + day) / hour) * hour).url,
    }
  }

  const openedOf = async (campaign: Campaign): Promise<PublicCampaignReport> => {
    const [report, overTime] = await Promise.all([counted(campaign), timeline(campaign)])
    const { dispatchId, scheduledTo } = campaign
    const sentAt = dispatchId === undefined ? undefined : scheduledTo
    return { report, timeline: overTime, sentAt, countedAt: clock().toISOString() }
  }
  /** Concurrent readers of a report share one count. */
  const beingCounted = new Map<string, Promise<PublicCampaignReport>>()

  return {
    /** @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<CampaignReport> => counted(await campaignOf(scope, id)),

    /** Books and rates of a page of campaigns, without those that were never sent. */
    results: async ({ projectId }: Scope, { ids }: z.output<typeof CampaignResultsQuery>): Promise<CampaignResults> => {
      const found = await collected(campaigns.each({ _id: ids, projectId }))
      const sent = found.filter(({ dispatchId }) => dispatchId !== undefined)
      const subjects = sent.map(({ _id }) => figureSubject.email(_id))
      const sumsOf = async (metric: FigureMetric): Promise<Readonly<Record<string, number>>> =>
        sent.length === 0 ? {} : figures.totalsOf(subjects, metric)
      const [machineOpens, machineClicks] = await Promise.all([sumsOf('machineOpens'), sumsOf('machineClicks')])
      const items: CampaignResults['items'][number][] = []
      for (const campaign of sent) {
        const { _id: campaignId } = campaign
        const counts = reportCountsOf(await resultCountsOf(dispatchResults, await sendingsOf(campaign)))
        const subject = figureSubject.email(campaignId)
        const machines = { machineOpens: machineOpens[subject] ?? 0, machineClicks: machineClicks[subject] ?? 0 }
        items.push({ campaignId, ...counts, ...machines })
      }
      return { items }
    },

    /**
     * Opens the report without a login until it expires.
     * @throws Refusal `invalid`, `not-found`
     */
    link: async (scope: Scope, id: string, input: ReportLinkFields = {}): Promise<ReportLink> => {
      const { days } = parsed(ReportLinkFields, input)
      return linkTo(await campaignOf(scope, id), clock().getTime() + days * day)
    },

    /** @throws Refusal `forbidden` for a wrong token, `not-found` if the campaign was deleted */
    opened: async (token: unknown): Promise<PublicCampaignReport> => {
      const { e } = readToken(secrets, 'report', token, clock())
      const campaign = await getOrNotFound(campaigns, { _id: e })
      const counting = beingCounted.get(e) ?? openedOf(campaign).finally(() => beingCounted.delete(e))
      beingCounted.set(e, counting)
      return counting
    },

    /** The excluded recipients with the reasons. @throws Refusal `invalid`, `not-found` */
    exclusions: async (
      scope: Scope,
      id: string,
      { sort, order, filter, skip, limit }: ListQuery,
    ): Promise<Page<ExcludedRecipient>> => {
      assertNoViolations(exclusionListQueryViolations({ sort, filter }))
      await campaignOf(scope, id)
      const { where, sort: ordered } = parsedSortAndFilter(excludedRecipientFilters, { filter, order })
      const { email, reason } = where
      const { items, count } = await deliveries.list({
        where: {
          emailId: id,
          projectId: scope.projectId,
          status: ['excluded'],
          ...(email !== undefined && { address: addressKey(String(email)) }),
          ...(reason !== undefined && { reason: String(reason) as ExclusionReason }),
        },
        by: sort === 'email' ? 'email' : 'createdAt',
        order: ordered.order,
        skip,
        limit,
      })
      const view = items.map(({ _id: deliveryId, reason: why = 'stopped', ...one }) =>
        ExcludedRecipient.parse({ ...one, deliveryId, reason: why }),
      )
      return { items: view, count }
    },

    /** Streams the recipients of all dispatches by id, with constant memory. */
    recipients: async (
      scope: Scope,
      id: string,
      options: Pick<RecipientExportFields, 'status'> = {},
    ): Promise<AsyncIterable<EmailRecipient>> => {
      const { status } = parsed(RecipientExportFields, options)
      const sendings = await sendingsOf(await campaignOf(scope, id))
      return exportedRecipients(
        dispatchResults,
        sendings.map(({ _id }) => _id),
        { status },
      )
    },

    /** For the operator, of all projects: those being sent, then the last sent ones. */
    underWay: async (): Promise<readonly OperatorCampaignSummary[]> => {
      const newest = (status: Campaign['status']) =>
        newestRecords(campaigns, { status }, 'scheduledTo', mostUnderWay, ['document'])
      const [now, sent, stopped] = await Promise.all([newest('being-sent'), newest('sent'), newest('error')])
      const ended = [...sent, ...stopped].sort((a, b) => ((a.scheduledTo ?? '') < (b.scheduledTo ?? '') ? 1 : -1))
      return Promise.all([...now, ...ended.slice(0, Math.max(0, mostUnderWay - now.length))].map(underWay))
    },
  }
}
