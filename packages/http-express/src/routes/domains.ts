import {
  DomainChanges,
  DomainFields,
  DomainView,
  ListQueryFields,
  listQueryViolations,
  Regions,
  Removed,
  SenderIdentityFields,
  SenderIdentityView,
} from '@posthorn/core/ports/transport'
import { stringify } from 'csv-stringify/sync'
import { download } from '../response.js'
import { listOf, route, whole } from '../route.js'

const project = '/v1/projectId/{projectId}'
const all = `${project}/domains` as const
const one = `${all}/{domainId}` as const

export const domainRoutes = [
  route({
    id: 'listRegions',
    summary: 'List regions',
    method: 'get',
    path: `${project}/regions`,
    auth: 'api-key',
    success: [200, Regions],
    fails: ['forbidden'],
    run: (core, { scope }) => core.domains.regions(scope),
  }),
  route({
    id: 'listDomains',
    summary: 'List domains',
    method: 'get',
    path: all,
    auth: 'api-key',
    query: ListQueryFields,
    sorts: [],
    alsoWrong: (_core, { query: { filter } }) => listQueryViolations(DomainView.shape, { filter }),
    success: [200, listOf(DomainView)],
    fails: ['invalid', 'forbidden'],
    run: async (core, { scope, query }) => whole(await core.domains.list(scope, query)),
  }),
  route({
    id: 'createDomain',
    summary: 'Create a domain',
    method: 'post',
    path: all,
    auth: 'api-key',
    body: DomainFields,
    success: [201, DomainView],
    fails: ['invalid', 'forbidden', 'blocked'],
    run: (core, { scope, body }) => core.domains.create(scope, body),
  }),
  route({
    id: 'getDomain',
    summary: 'Get a domain',
    method: 'get',
    path: one,
    auth: 'api-key',
    success: [200, DomainView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.domains.get(scope, params.domainId),
  }),
  route({
    id: 'updateDomain',
    summary: 'Update a domain',
    method: 'patch',
    path: one,
    auth: 'api-key',
    body: DomainChanges,
    success: [200, DomainView],
    fails: ['invalid', 'forbidden', 'not-found', 'blocked'],
    run: (core, { scope, params, body }) => core.domains.update(scope, params.domainId, body),
  }),
  route({
    id: 'deleteDomain',
    summary: 'Delete a domain',
    method: 'delete',
    path: one,
    auth: 'api-key',
    success: [200, Removed],
    fails: ['forbidden', 'not-found', 'blocked'],
    run: (core, { scope, params }) => core.domains.remove(scope, params.domainId),
  }),
  route({
    id: 'checkDomain',
    summary: 'Check a domain',
    method: 'post',
    path: `${one}/check`,
    auth: 'api-key',
    success: [200, DomainView],
    fails: ['forbidden', 'not-found', 'blocked'],
    run: (core, { scope, params }) => core.domains.check(scope, params.domainId),
  }),
  route({
    id: 'exportDomainDns',
    summary: 'Export DNS records of a domain',
    method: 'get',
    path: `${one}/export/csv`,
    auth: 'api-key',
    success: [200, download('text/csv')],
    fails: ['invalid', 'forbidden'],
    run: async (core, { scope, params }) => {
      const { filename, rows } = await core.domains.dnsExport(scope, params.domainId)
      const columns = ['type', 'name', 'value', 'priority']
      return { filename, content: stringify([...rows], { header: true, columns, escape_formulas: true }) }
    },
  }),
]

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
    alsoWrong: (_core, { query: { filter } }) => listQueryViolations(SenderIdentityView.shape, { filter }),
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
