import { Overview, OverviewQuery } from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const project = '/console/api/projectId/{projectId}' as const

/** For the start page of a project. */
export const homeRows = [
  route('get', `${project}/home`, {
    id: 'getOverview',
    auth: 'person',
    permission: 'figures.read',
    query: OverviewQuery,
    success: [200, Overview],
    run: (core, { scope, query }) => core.overviews.get(scope, query),
  }),
]
