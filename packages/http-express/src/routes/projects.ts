import { ProjectChanges, ProjectView } from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const path = '/v1/projectId/{projectId}'

export const projectRoutes = [
  route({
    id: 'getProject',
    summary: 'Get a project',
    method: 'get',
    path,
    auth: 'api-key',
    success: [200, ProjectView],
    fails: ['forbidden'],
    run: (core, { scope }) => core.projects.get(scope),
  }),
  route({
    id: 'updateProject',
    summary: 'Update a project',
    method: 'patch',
    path,
    auth: 'api-key',
    body: ProjectChanges,
    alsoWrong: (core, { scope, body }) => core.projects.violations(scope, body),
    success: [200, ProjectView],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.projects.update(scope, body),
  }),
]
