import type { Core, Scope } from '@posthorn/core'
import {
  BulkAnswer,
  BulkContacts,
  BulkQuery,
  ContactChanges,
  ContactExportQuery,
  ContactFields,
  ContactListQuery,
  ContactTagFields,
  ContactTagView,
  ContactView,
  CustomFieldFields,
  CustomFieldView,
  changesSchemaOf,
  contactFilterFields,
  listQueryViolations,
  SegmentChanges,
  SegmentFields,
  SegmentView,
  Subscription,
  SubscriptionQuery,
  SuppressionFields,
  SuppressionQuery,
  SuppressionView,
} from '@posthorn/core/ports/transport'
import { resourceRoutes } from '../resource-routes.js'
import { downloadSchemaOf, exportContentTypes } from '../response.js'
import { listResponseOf, pagedRouteParts, route, UnpagedListQuery, unpagedList } from '../route.js'

const all = '/v1/projectId/{projectId}/contacts'
const one = '/v1/projectId/{projectId}/contacts/{email}'
const legacyAll = ['/v1/contacts/{projectId}']
const legacyOne = ['/v1/contacts/{projectId}/{email}']

const { _lists: _, ...exportFilters } = contactFilterFields

type Asking = { readonly scope: Scope; readonly isLegacy: boolean }

/** Legacy endpoints also return the owners (spec, "Contacts"). */
const shownBy = async (core: Core, { scope, isLegacy }: Asking, contact: ContactView): Promise<ContactView> =>
  isLegacy ? Object.assign({}, contact, await core.projects.owners(scope)) : contact

export const contactRoutes = [
  route('get', all, {
    id: 'listContacts',
    permission: 'addresses.read',
    alsoAt: legacyAll,
    auth: 'api-key-or-origin',
    ...pagedRouteParts(ContactView),
    query: ContactListQuery,
    filters: contactFilterFields,
    sorts: [],
    alsoWrong: (core, { scope, query }) => core.contacts.violations.list(scope, query),
    fails: ['not-found'],
    weight: ({ filter }) => (Object.keys(filter ?? {}).some((field) => field.startsWith('segment')) ? 10 : 1),
    run: (core, { scope, query }) => core.contacts.list(scope, query),
  }),
  route('post', all, {
    id: 'createContact',
    permission: 'contacts.edit',
    alsoAt: legacyAll,
    auth: 'api-key-or-origin',
    browserAccess: 'subscribe-only',
    body: ContactFields,
    alsoWrong: (core, { scope, body }) => core.contacts.violations.create(scope, body),
    success: [201, ContactView],
    fails: ['blocked'],
    run: async (core, call) => shownBy(core, call, await core.contacts.create(call.scope, call.body)),
    made: async (core, call) => {
      const contact = await core.contacts.made(call.scope)
      return contact && shownBy(core, call, contact)
    },
  }),
  route('post', `${all}/bulk`, {
    id: 'bulkContacts',
    summary: 'Create or update many contacts',
    permission: 'contacts.edit',
    query: BulkQuery,
    body: BulkContacts,
    bulkField: 'contacts',
    alsoWrong: (core, { body }) => core.contacts.bulk.violations(body),
    success: [200, BulkAnswer],
    run: (core, { scope, body, query }) => core.contacts.bulk.run(scope, body, query),
    made: (core, { scope, body }) => core.contacts.bulk.made(scope, body),
  }),
  route('get', `${all}/export`, {
    id: 'exportContacts',
    summary: 'Export contacts as a file',
    permission: 'addresses.export',
    query: ContactExportQuery,
    filters: exportFilters,
    alsoWrong: (core, { scope, query }) => core.contacts.export.violations(scope, query as never),
    success: [200, downloadSchemaOf(exportContentTypes.csv, exportContentTypes.ndjson)],
    fails: ['not-found'],
    weight: () => 10,
    run: async (core, { scope, query }) => ({
      filename: `contacts.${query.format}`,
      contentType: exportContentTypes[query.format],
      chunks: await core.contacts.export.file(scope, query),
    }),
  }),
  route('get', one, {
    id: 'getContact',
    permission: 'addresses.read',
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    success: [200, ContactView],
    run: async (core, call) => shownBy(core, call, await core.contacts.get(call.scope, call.params.email)),
  }),
  route('patch', one, {
    id: 'updateContact',
    permission: 'contacts.edit',
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    body: ContactChanges,
    alsoWrong: (core, { scope, body }) => core.contacts.violations.update(scope, body),
    success: [200, ContactView],
    fails: ['blocked'],
    run: async (core, call) =>
      shownBy(core, call, await core.contacts.update(call.scope, call.params.email, call.body)),
  }),
  route('delete', one, {
    id: 'deleteContact',
    permission: 'contacts.edit',
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    success: [200, ContactView],
    run: async (core, call) => shownBy(core, call, await core.contacts.remove(call.scope, call.params.email)),
  }),
  route('get', `${one}/subscriptions`, {
    id: 'listSubscriptions',
    summary: 'List the subscriptions of a contact',
    permission: 'addresses.read',
    query: SubscriptionQuery,
    success: [200, listResponseOf(Subscription)],
    paginated: true,
    run: (core, { scope, params, query }) => core.subscriptions.list(scope, params.email, query),
  }),
]

const fields = '/v1/projectId/{projectId}/contacts/fields'

export const customFieldRoutes = [
  route('get', fields, {
    id: 'listCustomFields',
    query: UnpagedListQuery,
    filters: {},
    success: [200, listResponseOf(CustomFieldView)],
    run: async (core, { scope }) => unpagedList(await core.customFields.list(scope)),
  }),
  route('post', fields, {
    id: 'createCustomField',
    body: CustomFieldFields,
    alsoWrong: (core, { scope, body }) => core.customFields.violations.create(scope, body),
    success: [201, CustomFieldView],
    run: (core, { scope, body }) => core.customFields.create(scope, body),
  }),
  route('delete', `${fields}/{name}`, {
    id: 'deleteCustomField',
    success: [200, CustomFieldView],
    run: (core, { scope, params }) => core.customFields.remove(scope, params.name),
  }),
]

export const contactTagRoutes = resourceRoutes({
  noun: 'ContactTag',
  path: 'contacts/tags',
  view: ContactTagView,
  fields: ContactTagFields,
  changes: changesSchemaOf(ContactTagFields),
  fails: { create: ['duplicate'], update: ['duplicate'] },
  of: (core) => core.contactTags,
})

export const segmentRoutes = resourceRoutes({
  noun: 'Segment',
  path: 'segments',
  view: SegmentView,
  fields: SegmentFields,
  changes: SegmentChanges,
  fails: { remove: ['blocked'] },
  of: (core) => core.segments,
})

export const suppressionRoutes = [
  route('get', '/v1/projectId/{projectId}/suppression-list', {
    id: 'listSuppressions',
    permission: 'addresses.read',
    query: SuppressionQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(SuppressionView.shape, query),
    success: [200, listResponseOf(SuppressionView)],
    paginated: true,
    run: async (core, { scope, query: { limit, ...query } }) =>
      limit === 'unlimited'
        ? { streamed: core.suppressions.all(scope, query) }
        : core.suppressions.list(scope, { ...query, limit }),
  }),
  ...resourceRoutes({
    noun: 'Suppression',
    path: 'suppression-list',
    view: SuppressionView,
    fields: SuppressionFields,
    changes: SuppressionFields,
    fails: { create: ['duplicate'] },
    verbs: ['create', 'remove'],
    permission: 'suppressions.edit',
    of: (core) => core.suppressions,
  }),
]
