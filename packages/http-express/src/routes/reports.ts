import { ProductionDeliverability, SandboxDeliverability } from '@posthorn/core/ports'
import { route } from '../route.js'

const project = '/v1/projectId/{projectId}'

export const reportRoutes = [
  route({
    id: 'getSandboxDeliverability',
    summary: 'How near a project in sandbox is to its cap and to a restriction',
    method: 'get',
    path: `${project}/sandbox/deliverability`,
    auth: 'api-key',
    success: [200, SandboxDeliverability],
    fails: ['forbidden'],
    run: (core, { scope }) => core.reports.sandbox(scope),
  }),
  route({
    id: 'getProductionDeliverability',
    summary:
      'How near a project in production is to its monthly limit and to a restriction, and what its domains contribute',
    method: 'get',
    path: `${project}/production/deliverability`,
    auth: 'api-key',
    success: [200, ProductionDeliverability],
    fails: ['forbidden'],
    run: (core, { scope }) => core.reports.production(scope),
  }),
]
