import { CloudChecked, CloudCheckFields, SetupLink } from '@posthorn/core/ports/transport'
import { route } from '../route.js'

const project = '/v1/projectId/{projectId}'

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
    // `read` does not suffice: the first call creates the project's external id.
    keys: [],
    success: [200, SetupLink],
    fails: ['forbidden'],
    run: (core, { scope }) => core.ownCloud.setupLink(scope),
  }),
]
