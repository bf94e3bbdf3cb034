import {
  FoundMails,
  MailExportQuery,
  MailSearchQuery,
  Overview,
  OverviewQuery,
  ProviderReport,
  ProviderReportQuery,
} from '@posthorn/core/ports/transport'
import { downloadSchemaOf, exportContentTypes } from '../response.js'
import { route } from '../route.js'

const project = '/console/api/projectId/{projectId}' as const

export const homeRoutes = [
  route('get', `${project}/home`, {
    id: 'getOverview',
    permission: 'figures.read',
    query: OverviewQuery,
    success: [200, Overview],
    run: (core, { scope, query }) => core.overviews.get(scope, query),
  }),
  route('get', `${project}/mailbox-providers`, {
    id: 'getMailboxProviders',
    permission: 'figures.read',
    query: ProviderReportQuery,
    success: [200, ProviderReport],
    run: (core, { scope, query }) => core.providerReports(scope, query),
  }),
  route('get', `${project}/mails`, {
    id: 'searchMails',
    permission: 'addresses.read',
    query: MailSearchQuery,
    success: [200, FoundMails],
    weight: () => 5,
    run: (core, { scope, query }) => core.mailHistories.search(scope, query),
  }),
  route('get', `${project}/mails/export`, {
    id: 'exportMails',
    permission: 'addresses.export',
    query: MailExportQuery,
    success: [200, downloadSchemaOf(exportContentTypes.csv)],
    weight: () => 20,
    run: async (core, { scope, query }) => ({
      filename: 'mails.csv',
      contentType: exportContentTypes.csv,
      chunks: core.mailHistories.exportFound(scope, query),
    }),
  }),
]
