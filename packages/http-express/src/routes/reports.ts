import { ProductionDeliverability, SandboxDeliverability } from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const project = '/v1/projectId/{projectId}'

export const reportRoutes = [
  route({
    id: 'getSandboxDeliverability',
    summary: 'Get sandbox deliverability',
    method: 'get',
    path: `${project}/sandbox/deliverability`,
    auth: 'api-key',
    success: [200, SandboxDeliverability],
    fails: ['forbidden'],
    run: (core, { scope }) => core.reports.sandbox(scope),
  }),
  route({
    id: 'getProductionDeliverability',
    summary: 'Get production deliverability',
    method: 'get',
    path: `${project}/production/deliverability`,
    auth: 'api-key',
    success: [200, ProductionDeliverability],
    fails: ['forbidden'],
    run: (core, { scope }) => core.reports.production(scope),
  }),
]
