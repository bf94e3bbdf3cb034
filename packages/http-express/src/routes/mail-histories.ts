import {
  KeptMailHistory,
  KeptSince,
  MailHistory,
  MailHistoryQuery,
  mailHistoryFilters,
} from '@posthorn/core/ports/transport'
import { listResponseOf, route } from '../route.js'

export const mailHistoryRoutes = [
  route('get', '/v1/projectId/{projectId}/deliveries', {
    id: 'listMailHistories',
    permission: 'addresses.read',
    query: MailHistoryQuery,
    filters: mailHistoryFilters,
    alsoWrong: (core, { query }) => core.mailHistories.violations(query.filter),
    success: [200, listResponseOf(MailHistory).extend({ keptSince: KeptSince })],
    paginated: true,
    run: (core, { scope, query }) => core.mailHistories.list(scope, query),
  }),
  route('get', '/v1/projectId/{projectId}/deliveries/{id}', {
    id: 'getMailHistory',
    permission: 'addresses.read',
    success: [200, KeptMailHistory],
    run: (core, { scope, params }) => core.mailHistories.get(scope, params.id),
  }),
]
