import {
  CampaignChanges,
  CampaignFields,
  CampaignReport,
  CampaignView,
  ExcludedRecipient,
  exclusionFilters,
  exclusionSorts,
  exclusionViolations,
  ListQueryFields,
  RecipientExportFields,
  ReportLink,
  RetriedMails,
  recipientTexts,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { everyVerb, resourceRoutes } from '../resource-routes.js'
import { download } from '../response.js'
import { listOf, route } from '../route.js'

export const campaignRoutes = resourceRoutes({
  noun: 'Campaign',
  plural: 'Campaigns',
  called: 'campaign',
  path: 'campaigns',
  view: CampaignView,
  fields: CampaignFields,
  changes: CampaignChanges,
  fails: {
    create: ['not-found', 'blocked'],
    update: ['blocked'],
    remove: ['invalid', 'blocked'],
  },
  verbs: everyVerb,
  of: (core) => core.campaigns,
})

const campaign = '/v1/projectId/{projectId}/campaigns/{id}' as const

const fileTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

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
  route({
    id: 'getCampaignReport',
    summary: 'Get a campaign report',
    method: 'get',
    path: `${campaign}/report`,
    auth: 'api-key',
    success: [200, CampaignReport],
    fails: ['forbidden', 'not-found'],
    weight: () => 5,
    run: (core, { scope, params }) => core.campaignReports.get(scope, params.id),
  }),
  route({
    id: 'getCampaignReportLink',
    summary: 'Get a campaign report link',
    method: 'get',
    path: `${campaign}/report-link`,
    auth: 'api-key',
    query: ReportLinkQuery,
    success: [200, ReportLink],
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, params, query }) => core.campaignReports.link(scope, params.id, query),
  }),
  route({
    id: 'listCampaignExclusions',
    summary: 'List campaign exclusions',
    method: 'get',
    path: `${campaign}/exclusions`,
    auth: 'api-key',
    query: ListQueryFields,
    filters: exclusionFilters,
    sorts: exclusionSorts,
    alsoWrong: (_core, { query }) => exclusionViolations(query),
    success: [200, listOf(ExcludedRecipient)],
    paginated: true,
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, params, query }) => core.campaignReports.exclusions(scope, params.id, query),
  }),
  route({
    id: 'exportCampaignRecipients',
    summary: 'Export campaign recipients',
    method: 'get',
    path: `${campaign}/recipients/export`,
    auth: 'api-key',
    query: RecipientExportFields,
    success: [200, download(fileTypes.csv, fileTypes.ndjson)],
    fails: ['invalid', 'forbidden', 'not-found'],
    weight: () => 10,
    run: async (core, { scope, params, query: { format, status } }) => ({
      filename: `recipients-${params.id}.${format}`,
      contentType: fileTypes[format],
      chunks: recipientTexts(await core.campaignReports.recipients(scope, params.id, { status }), format),
    }),
  }),
  route({
    id: 'retryFailedMails',
    summary: 'Retry failed mails of a campaign',
    method: 'post',
    path: `${campaign}/retry-failed`,
    auth: 'api-key',
    success: [200, RetriedMails],
    fails: ['forbidden', 'not-found', 'blocked'],
    run: async (core, { scope, params }) => ({ again: await core.campaigns.retryFailed(scope, params.id) }),
  }),
]
