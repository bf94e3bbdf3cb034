import { AccessApplication, Applied, LimitIncreaseFields, ProductionAccess } from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const path = '/v1/projectId/{projectId}/production-access'

export const productionAccessRoutes = [
  route({
    id: 'getProductionAccess',
    summary: 'Get production access',
    method: 'get',
    path,
    auth: 'api-key',
    success: [200, ProductionAccess],
    fails: ['forbidden'],
    run: (core, { scope }) => core.productionAccess.status(scope),
  }),
  route({
    id: 'applyForProductionAccess',
    summary: 'Apply for production access',
    method: 'post',
    path,
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
    path: `${path}/limit-increase`,
    auth: 'api-key',
    body: LimitIncreaseFields,
    success: [200, ProductionAccess],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.productionAccess.requestLimitIncrease(scope, body),
  }),
]
