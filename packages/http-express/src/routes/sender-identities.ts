import {
  fieldViolations,
  ListQueryFields,
  Removed,
  SenderIdentityFields,
  SenderIdentityView,
} from '@posthorn/core/ports/transport'
import { listOf, route, whole } from '../route.js'

const path = '/v1/projectId/{projectId}/sender-identities'

export const senderIdentityRoutes = [
  route({
    id: 'listSenderIdentities',
    summary: 'List sender identities',
    method: 'get',
    path,
    auth: 'api-key',
    query: ListQueryFields,
    sorts: [],
    alsoWrong: (_core, { query: { filter } }) => fieldViolations(SenderIdentityView.shape, { filter }),
    success: [200, listOf(SenderIdentityView)],
    fails: ['invalid', 'forbidden'],
    run: async (core, { scope, query }) => whole(await core.senderIdentities.list(scope, query)),
  }),
  route({
    id: 'createSenderIdentity',
    summary: 'Create a sender identity',
    method: 'post',
    path,
    auth: 'api-key',
    body: SenderIdentityFields,
    success: [201, SenderIdentityView],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.senderIdentities.create(scope, body),
  }),
  route({
    id: 'setDefaultSenderIdentity',
    summary: 'Set the default sender identity',
    method: 'post',
    path: `${path}/{identityId}/set-default`,
    auth: 'api-key',
    success: [200, SenderIdentityView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.senderIdentities.setDefault(scope, params.identityId),
  }),
  route({
    id: 'deleteSenderIdentity',
    summary: 'Delete a sender identity',
    method: 'delete',
    path: `${path}/{identityId}`,
    auth: 'api-key',
    success: [200, Removed],
    fails: ['forbidden', 'not-found', 'blocked'],
    run: (core, { scope, params }) => core.senderIdentities.remove(scope, params.identityId),
  }),
]
