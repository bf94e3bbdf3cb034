import {
  DomainChanges,
  DomainFields,
  DomainView,
  fieldViolations,
  ListQueryFields,
  Regions,
  Removed,
} from '@posthorn/core/ports'
import { stringify } from 'csv-stringify/sync'
import { download } from '../download.js'
import { listOf, route, whole } from '../route.js'

const project = '/v1/projectId/{projectId}'
const all = `${project}/domains` as const
const one = `${all}/{domainId}` as const

export const domainRoutes = [
  route({
    id: 'listRegions',
    summary: 'The values that a domain’s and a sender identity’s region may have',
    method: 'get',
    path: `${project}/regions`,
    auth: 'api-key',
    success: [200, Regions],
    fails: ['forbidden'],
    run: (core, { scope }) => core.domains.regions(scope),
  }),
  route({
    id: 'listDomains',
    summary: 'All domains of the project',
    method: 'get',
    path: all,
    auth: 'api-key',
    query: ListQueryFields,
    sorts: [],
    alsoWrong: (_core, { query: { filter } }) => fieldViolations(DomainView.shape, { filter }),
    success: [200, listOf(DomainView)],
    fails: ['invalid', 'forbidden'],
    run: async (core, { scope, query }) => whole(await core.domains.list(scope, query)),
  }),
  route({
    id: 'createDomain',
    summary: 'Add a domain, and learn the DNS records that it needs',
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
    summary: 'A domain by its id',
    method: 'get',
    path: one,
    auth: 'api-key',
    success: [200, DomainView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.domains.get(scope, params.domainId),
  }),
  route({
    id: 'updateDomain',
    summary: 'Give a domain a name by which links of its mails lead, or take it away',
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
    summary: 'Remove a domain that no sender identity uses',
    method: 'delete',
    path: one,
    auth: 'api-key',
    success: [200, Removed],
    fails: ['forbidden', 'not-found', 'blocked'],
    run: (core, { scope, params }) => core.domains.remove(scope, params.domainId),
  }),
  route({
    id: 'checkDomain',
    summary: 'Read a domain’s DNS records anew; the first success adds the sender no-reply@ the domain',
    method: 'post',
    path: `${one}/check`,
    auth: 'api-key',
    success: [200, DomainView],
    fails: ['forbidden', 'not-found', 'blocked'],
    run: (core, { scope, params }) => core.domains.check(scope, params.domainId),
  }),
  route({
    id: 'exportDomainDns',
    summary: 'The DNS records that a domain needs, as CSV: type, name, value, priority',
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
