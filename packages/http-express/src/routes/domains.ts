import {
  DomainChanges,
  DomainFields,
  DomainView,
  listQueryViolations,
  Regions,
  Removed,
  SenderIdentityFields,
  SenderIdentityView,
} from '@posthorn/core/ports/transport'
import { stringify } from 'csv-stringify/sync'
import { downloadSchemaOf } from '../response.js'
import { listResponseOf, route, UnpagedListQuery, unpagedList } from '../route.js'

const project = '/v1/projectId/{projectId}'
const all = `${project}/domains` as const
const one = `${all}/{domainId}` as const

export const domainRoutes = [
  route('get', `${project}/regions`, {
    id: 'listRegions',
    success: [200, Regions],
    run: (core, { scope }) => core.domains.regions(scope),
  }),
  route('get', all, {
    id: 'listDomains',
    query: UnpagedListQuery,
    alsoWrong: (_core, { query: { filter } }) => listQueryViolations(DomainView.shape, { filter }),
    success: [200, listResponseOf(DomainView)],
    run: async (core, { scope, query }) => unpagedList(await core.domains.list(scope, query)),
  }),
  route('post', all, {
    id: 'createDomain',
    permission: 'settings.edit',
    body: DomainFields,
    success: [201, DomainView],
    fails: ['blocked'],
    run: (core, { scope, body }) => core.domains.create(scope, body),
  }),
  route('get', one, {
    id: 'getDomain',
    success: [200, DomainView],
    run: (core, { scope, params }) => core.domains.get(scope, params.domainId),
  }),
  route('patch', one, {
    id: 'updateDomain',
    permission: 'settings.edit',
    body: DomainChanges,
    success: [200, DomainView],
    fails: ['blocked'],
    run: (core, { scope, params, body }) => core.domains.update(scope, params.domainId, body),
  }),
  route('delete', one, {
    id: 'deleteDomain',
    permission: 'settings.edit',
    success: [200, Removed],
    fails: ['blocked'],
    run: (core, { scope, params }) => core.domains.remove(scope, params.domainId),
  }),
  route('post', `${one}/check`, {
    id: 'checkDomain',
    permission: 'settings.edit',
    success: [200, DomainView],
    fails: ['blocked'],
    run: (core, { scope, params }) => core.domains.check(scope, params.domainId),
  }),
  route('get', `${one}/export/csv`, {
    id: 'exportDomainDns',
    summary: 'Export DNS records of a domain',
    alwaysThere: true,
    success: [200, downloadSchemaOf('text/csv')],
    fails: ['invalid'],
    run: async (core, { scope, params }) => {
      const { filename, rows } = await core.domains.dnsExport(scope, params.domainId)
      const columns = ['type', 'name', 'value', 'priority']
      return { filename, content: stringify([...rows], { header: true, columns, escape_formulas: true }) }
    },
  }),
]

const path = '/v1/projectId/{projectId}/sender-identities'

export const senderIdentityRoutes = [
  route('get', path, {
    id: 'listSenderIdentities',
    query: UnpagedListQuery,
    alsoWrong: (_core, { query: { filter } }) => listQueryViolations(SenderIdentityView.shape, { filter }),
    success: [200, listResponseOf(SenderIdentityView)],
    run: async (core, { scope, query }) => unpagedList(await core.senderIdentities.list(scope, query)),
  }),
  route('post', path, {
    id: 'createSenderIdentity',
    permission: 'settings.edit',
    body: SenderIdentityFields,
    success: [201, SenderIdentityView],
    run: (core, { scope, body }) => core.senderIdentities.create(scope, body),
  }),
  route('post', `${path}/{identityId}/set-default`, {
    id: 'setDefaultSenderIdentity',
    permission: 'settings.edit',
    summary: 'Set the default sender identity',
    success: [200, SenderIdentityView],
    run: (core, { scope, params }) => core.senderIdentities.setDefault(scope, params.identityId),
  }),
  route('delete', `${path}/{identityId}`, {
    id: 'deleteSenderIdentity',
    permission: 'settings.edit',
    success: [200, Removed],
    fails: ['blocked'],
    run: (core, { scope, params }) => core.senderIdentities.remove(scope, params.identityId),
  }),
]
