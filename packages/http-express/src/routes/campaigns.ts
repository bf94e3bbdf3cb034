import {
  AudiencePreview,
  CampaignChanges,
  CampaignFields,
  CampaignProgress,
  CampaignQuery,
  CampaignReport,
  CampaignView,
  ExcludedPreviewPage,
  ExcludedPreviewQuery,
  ExcludedRecipient,
  excludedRecipientFilters,
  exclusionListQueryViolations,
  exclusionSortFields,
  RecipientExportFields,
  ReportLink,
  RetriedMails,
  RetryFields,
  RetryPreview,
  recipientExportChunks,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { resourceRoutes } from '../resource-routes.js'
import { downloadSchemaOf, exportContentTypes } from '../response.js'
import { pagedRouteParts, route } from '../route.js'

export const campaignRoutes = [
  route('get', '/v1/projectId/{projectId}/campaigns', {
    id: 'listCampaigns',
    ...pagedRouteParts(CampaignView),
    query: CampaignQuery,
    run: (core, { scope, query }) => core.campaigns.list(scope, query),
  }),
  ...resourceRoutes({
    noun: 'Campaign',
    path: 'campaigns',
    view: CampaignView,
    fields: CampaignFields,
    changes: CampaignChanges,
    fails: { create: ['not-found', 'blocked'], update: ['blocked'], remove: ['invalid', 'blocked'] },
    verbs: ['create', 'get', 'update', 'remove'],
    of: (core) => core.campaigns,
  }),
]

const campaign = '/v1/projectId/{projectId}/campaigns/{id}' as const

export const campaignRunRoutes = [
  route('get', `${campaign}/audience`, {
    id: 'previewCampaignAudience',
    success: [200, AudiencePreview],
    fails: ['blocked'],
    weight: () => 10,
    run: (core, { scope, params }) => core.campaigns.audience(scope, params.id),
  }),
  route('get', `${campaign}/audience/excluded`, {
    id: 'previewCampaignExclusions',
    permission: 'addresses.read',
    query: ExcludedPreviewQuery,
    success: [200, ExcludedPreviewPage],
    fails: ['blocked'],
    weight: () => 10,
    run: (core, { scope, params, query }) => core.campaigns.excluded(scope, params.id, query),
  }),
  route('get', `${campaign}/progress`, {
    id: 'getCampaignProgress',
    summary: 'Get the progress of a campaign',
    success: [200, CampaignProgress],
    run: (core, { scope, params }) => core.campaigns.progress(scope, params.id),
  }),
  route('post', `${campaign}/stop`, {
    id: 'stopCampaign',
    permission: 'emails.send',
    success: [200, CampaignView],
    fails: ['blocked'],
    run: (core, { scope, params }) => core.campaigns.stop(scope, params.id),
  }),
  route('post', `${campaign}/continue`, {
    id: 'continueCampaign',
    permission: 'emails.send',
    success: [200, CampaignView],
    fails: ['blocked'],
    run: (core, { scope, params }) => core.campaigns.resume(scope, params.id),
  }),
]

const wrongDays = 'expected a whole number, from 1 to 365'
const ReportLinkQuery = z.strictObject({
  days: z
    .string()
    .regex(/^(?:[1-9]\d?|[12]\d\d|3[0-5]\d|36[0-5])$/, wrongDays)
    .transform(Number)
    .default(30)
    .meta({ description: 'Number of days the link is valid; at most 365' }),
})

export const campaignReportRoutes = [
  route('get', `${campaign}/report`, {
    id: 'getCampaignReport',
    permission: 'figures.read',
    success: [200, CampaignReport],
    weight: () => 5,
    run: (core, { scope, params }) => core.campaignReports.get(scope, params.id),
  }),
  route('get', `${campaign}/report-link`, {
    id: 'getCampaignReportLink',
    permission: 'figures.read',
    query: ReportLinkQuery,
    success: [200, ReportLink],
    run: (core, { scope, params, query }) => core.campaignReports.link(scope, params.id, query),
  }),
  route('get', `${campaign}/exclusions`, {
    id: 'listCampaignExclusions',
    permission: 'addresses.read',
    ...pagedRouteParts(ExcludedRecipient),
    filters: excludedRecipientFilters,
    sorts: exclusionSortFields,
    alsoWrong: (_core, { query }) => exclusionListQueryViolations(query),
    run: (core, { scope, params, query }) => core.campaignReports.exclusions(scope, params.id, query),
  }),
  route('get', `${campaign}/recipients/export`, {
    id: 'exportCampaignRecipients',
    permission: 'addresses.export',
    query: RecipientExportFields,
    success: [200, downloadSchemaOf(exportContentTypes.csv, exportContentTypes.ndjson)],
    weight: () => 10,
    run: async (core, { scope, params, query: { format, status } }) => ({
      filename: `recipients-${params.id}.${format}`,
      contentType: exportContentTypes[format],
      chunks: recipientExportChunks(await core.campaignReports.recipients(scope, params.id, { status }), format),
    }),
  }),
  route('post', `${campaign}/retry-failed`, {
    id: 'retryFailedMails',
    permission: 'emails.send',
    summary: 'Retry failed mails of a campaign',
    body: RetryFields,
    success: [200, RetriedMails],
    fails: ['blocked'],
    run: async (core, { scope, params, body }) => ({ again: await core.campaigns.retryFailed(scope, params.id, body) }),
  }),
  route('post', `${campaign}/retry-failed/preview`, {
    id: 'previewRetry',
    permission: 'figures.read',
    summary: 'Preview a retry of failed mails',
    body: RetryFields,
    success: [200, RetryPreview],
    fails: ['blocked'],
    weight: () => 10,
    run: (core, { scope, params, body }) => core.campaigns.retryPreview(scope, params.id, body),
  }),
]
