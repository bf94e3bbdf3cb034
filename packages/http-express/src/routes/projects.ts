import {
  AccessApplication,
  AccessApplicationReceipt,
  CloudChecked,
  CloudCheckFields,
  keyScopes,
  LimitIncreaseFields,
  ProductionAccess,
  ProductionDeliverability,
  ProjectChanges,
  ProjectView,
  SandboxDeliverability,
  SetupLink,
} from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { route } from '../route.js'

const project = '/v1/projectId/{projectId}'
const access = `${project}/production-access` as const

const OwnKey = z
  .object({
    projectId: z.string().meta({ description: 'Id of the project that the key belongs to' }),
    scope: z.enum(keyScopes).meta({ description: 'What the key may do' }),
  })
  .meta({ id: 'OwnApiKey', description: 'The API key of the request' })

export const projectRoutes = [
  route('get', '/v1/api-key', {
    id: 'getApiKey',
    summary: 'Get the API key of the request',
    keys: ['send', 'read', 'webhook'],
    success: [200, OwnKey],
    run: async (_core, { scope: { projectId, apiKey } }) => ({ projectId, scope: apiKey?.scope ?? 'full' }),
  }),
  route('get', project, {
    id: 'getProject',
    success: [200, ProjectView],
    run: (core, { scope }) => core.projects.get(scope),
  }),
  route('patch', project, {
    id: 'updateProject',
    permission: 'settings.edit',
    body: ProjectChanges,
    alsoWrong: (core, { scope, body }) => core.projects.violations(scope, body),
    success: [200, ProjectView],
    run: (core, { scope, body }) => core.projects.update(scope, body),
  }),
]

export const productionAccessRoutes = [
  route('get', access, {
    id: 'getProductionAccess',
    success: [200, ProductionAccess],
    run: (core, { scope }) => core.productionAccess.status(scope),
  }),
  route('post', access, {
    id: 'applyForProductionAccess',
    permission: 'settings.edit',
    body: AccessApplication,
    success: [201, AccessApplicationReceipt],
    run: (core, { scope, body }) => core.productionAccess.apply(scope, body),
  }),
  route('post', `${access}/limit-increase`, {
    id: 'requestLimitIncrease',
    permission: 'settings.edit',
    body: LimitIncreaseFields,
    success: [200, ProductionAccess],
    run: (core, { scope, body }) => core.productionAccess.requestLimitIncrease(scope, body),
  }),
]

export const deliverabilityRoutes = [
  route('get', `${project}/sandbox/deliverability`, {
    id: 'getSandboxDeliverability',
    permission: 'figures.read',
    success: [200, SandboxDeliverability],
    run: (core, { scope }) => core.reports.sandbox(scope),
  }),
  route('get', `${project}/production/deliverability`, {
    id: 'getProductionDeliverability',
    permission: 'figures.read',
    success: [200, ProductionDeliverability],
    run: (core, { scope }) => core.reports.production(scope),
  }),
]

export const ownCloudRoutes = [
  route('post', `${project}/cloud-check`, {
    id: 'checkCloud',
    permission: 'settings.edit',
    summary: 'Check a cloud account',
    body: CloudCheckFields,
    success: [200, CloudChecked],
    run: (core, { scope, body }) => core.ownCloud.check(scope, body),
  }),
  route('get', `${project}/setup-link`, {
    id: 'getSetupLink',
    permission: 'settings.edit',
    summary: 'Get a cloud setup link',
    keys: [],
    success: [200, SetupLink],
    run: (core, { scope }) => core.ownCloud.setupLink(scope),
  }),
]
