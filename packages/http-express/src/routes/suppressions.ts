import { fieldViolations, SuppressionFields, SuppressionQuery, SuppressionView } from '@posthorn/core/ports/transport'
import { resourceRoutes } from '../resource-routes.js'
import { listOf, route } from '../route.js'

export const suppressionRoutes = [
  route({
    id: 'listSuppressions',
    summary: 'List suppressions',
    method: 'get',
    path: '/v1/projectId/{projectId}/suppression-list',
    auth: 'api-key',
    query: SuppressionQuery,
    alsoWrong: (_core, { query }) => fieldViolations(SuppressionView.shape, query),
    success: [200, listOf(SuppressionView)],
    paginated: true,
    fails: ['invalid', 'forbidden'],
    run: async (core, { scope, query: { limit, ...query } }) =>
      limit === 'unlimited'
        ? { streamed: core.suppressions.all(scope, query) }
        : core.suppressions.list(scope, { ...query, limit }),
  }),
  ...resourceRoutes({
    noun: 'Suppression',
    plural: 'Suppressions',
    called: 'suppression',
    path: 'suppression-list',
    view: SuppressionView,
    fields: SuppressionFields,
    changes: SuppressionFields,
    fails: { create: ['duplicate'] },
    verbs: ['create', 'remove'],
    of: (core) => core.suppressions,
  }),
]
