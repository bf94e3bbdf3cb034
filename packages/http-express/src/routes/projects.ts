import {
  AccessApplication,
  Applied,
  CloudChecked,
  CloudCheckFields,
  LimitIncreaseFields,
  ProductionAccess,
  ProductionDeliverability,
  ProjectChanges,
  ProjectView,
  SandboxDeliverability,
  SetupLink,
} from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const project = '/v1/projectId/{projectId}'
const access = `${project}/production-access` as const

export const projectRoutes = [
  route({
    id: 'getProject',
    summary: 'Get a project',
    method: 'get',
    path: project,
    auth: 'api-key',
    success: [200, ProjectView],
    fails: ['forbidden'],
    run: (core, { scope }) => core.projects.get(scope),
  }),
  route({
    id: 'updateProject',
    summary: 'Update a project',
    method: 'patch',
    path: project,
    auth: 'api-key',
    body: ProjectChanges,
    alsoWrong: (core, { scope, body }) => core.projects.violations(scope, body),
    success: [200, ProjectView],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.projects.update(scope, body),
  }),
]

export const productionAccessRoutes = [
  route({
    id: 'getProductionAccess',
    summary: 'Get production access',
    method: 'get',
    path: access,
    auth: 'api-key',
    success: [200, ProductionAccess],
    fails: ['forbidden'],
    run: (core, { scope }) => core.productionAccess.status(scope),
  }),
  route({
    id: 'applyForProductionAccess',
    summary: 'Apply for production access',
    method: 'post',
    path: access,
    auth: 'api-key',
    body: AccessApplication,
    success: [201, Applied],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.productionAccess.apply(scope, body),
  }),
  route({
    id: 'requestLimitIncrease',
    summary: 'Request a limit increase',
    method: 'post',
    path: `${access}/limit-increase`,
    auth: 'api-key',
    body: LimitIncreaseFields,
    success: [200, ProductionAccess],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.productionAccess.requestLimitIncrease(scope, body),
  }),
]

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

export const ownCloudRoutes = [
  route({
    id: 'checkCloud',
    summary: 'Check a cloud account',
    method: 'post',
    path: `${project}/cloud-check`,
    auth: 'api-key',
    body: CloudCheckFields,
    success: [200, CloudChecked],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.ownCloud.check(scope, body),
  }),
  route({
    id: 'getSetupLink',
    summary: 'Get a cloud setup link',
    method: 'get',
    path: `${project}/setup-link`,
    auth: 'api-key',
    // `read` does not suffice: the first call creates the external id.
    keys: [],
    success: [200, SetupLink],
    fails: ['forbidden'],
    run: (core, { scope }) => core.ownCloud.setupLink(scope),
  }),
]
