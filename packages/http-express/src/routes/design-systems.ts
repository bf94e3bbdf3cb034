import {
  DesignSystemChanges,
  DesignSystemQuery,
  DesignSystemView,
  fieldViolations,
} from '@posthorn/core/ports/transport'
import { listOf, route } from '../route.js'

const path = '/v1/projectId/{projectId}/design-systems'

export const designSystemRoutes = [
  route({
    id: 'listDesignSystems',
    summary: 'List design systems',
    method: 'get',
    path,
    auth: 'api-key',
    query: DesignSystemQuery,
    alsoWrong: (_core, { query }) => fieldViolations(DesignSystemView.shape, query),
    success: [200, listOf(DesignSystemView)],
    paginated: true,
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, query }) => core.designSystems.list(scope, query),
  }),
  route({
    id: 'updateDesignSystem',
    summary: 'Update a design system',
    method: 'patch',
    path: `${path}/{id}`,
    auth: 'api-key',
    body: DesignSystemChanges,
    success: [200, DesignSystemView],
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, params, body }) => core.designSystems.update(scope, params.id, body),
  }),
]
