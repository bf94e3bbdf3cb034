import type { Core, Scope } from '@posthorn/core'
import {
  ContactChanges,
  ContactFields,
  ContactTagFields,
  ContactTagView,
  ContactView,
  CustomFieldFields,
  CustomFieldView,
  changesOf,
  contactFilters,
  ListQueryFields,
  listQueryViolations,
  SegmentChanges,
  SegmentFields,
  SegmentView,
  SuppressionFields,
  SuppressionQuery,
  SuppressionView,
} from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'
import { listOf, route, whole } from '../route.js'

const all = '/v1/projectId/{projectId}/contacts'
const one = '/v1/projectId/{projectId}/contacts/{email}'
const legacyAll = ['/v1/contacts/{projectId}']
const legacyOne = ['/v1/contacts/{projectId}/{email}']

type Asking = { readonly scope: Scope; readonly isLegacy: boolean }

/** Legacy endpoints also return the owners (spec, "Contacts"). */
const shownBy = async (core: Core, { scope, isLegacy }: Asking, contact: ContactView): Promise<ContactView> =>
  isLegacy ? Object.assign({}, contact, await core.projects.owners(scope)) : contact

export const contactRoutes = [
  route({
    id: 'listContacts',
    summary: 'List contacts',
    method: 'get',
    path: all,
    alsoAt: legacyAll,
    auth: 'api-key-or-origin',
    query: ListQueryFields,
    filters: contactFilters,
    sorts: [],
    alsoWrong: (core, { scope, query }) => core.contacts.violations.list(scope, query),
    success: [200, listOf(ContactView)],
    paginated: true,
    fails: ['invalid', 'forbidden', 'not-found'],
    weight: ({ filter }) => (Object.keys(filter ?? {}).some((field) => field.startsWith('segment')) ? 10 : 1),
    run: (core, { scope, query }) => core.contacts.list(scope, query),
  }),
  route({
    id: 'createContact',
    summary: 'Create a contact',
    method: 'post',
    path: all,
    alsoAt: legacyAll,
    auth: 'api-key-or-origin',
    browserAccess: 'subscribe-only',
    body: ContactFields,
    alsoWrong: (core, { scope, body }) => core.contacts.violations.create(scope, body),
    success: [201, ContactView],
    fails: ['invalid', 'forbidden', 'blocked'],
    run: async (core, call) => shownBy(core, call, await core.contacts.create(call.scope, call.body)),
    made: async (core, call) => {
      const contact = await core.contacts.made(call.scope)
      return contact && shownBy(core, call, contact)
    },
  }),
  route({
    id: 'getContact',
    summary: 'Get a contact',
    method: 'get',
    path: one,
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    success: [200, ContactView],
    fails: ['forbidden', 'not-found'],
    run: async (core, call) => shownBy(core, call, await core.contacts.get(call.scope, call.params.email)),
  }),
  route({
    id: 'updateContact',
    summary: 'Update a contact',
    method: 'patch',
    path: one,
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    body: ContactChanges,
    alsoWrong: (core, { scope, body }) => core.contacts.violations.update(scope, body),
    success: [200, ContactView],
    fails: ['invalid', 'forbidden', 'not-found', 'blocked'],
    run: async (core, call) =>
      shownBy(core, call, await core.contacts.update(call.scope, call.params.email, call.body)),
  }),
  route({
    id: 'deleteContact',
    summary: 'Delete a contact',
    method: 'delete',
    path: one,
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    success: [200, ContactView],
    fails: ['forbidden', 'not-found'],
    run: async (core, call) => shownBy(core, call, await core.contacts.remove(call.scope, call.params.email)),
  }),
]

const fields = '/v1/projectId/{projectId}/contacts/fields'

export const customFieldRoutes = [
  route({
    id: 'listCustomFields',
    summary: 'List custom fields',
    method: 'get',
    path: fields,
    auth: 'api-key',
    query: ListQueryFields,
    filters: {},
    sorts: [],
    success: [200, listOf(CustomFieldView)],
    fails: ['invalid', 'forbidden'],
    run: async (core, { scope }) => whole(await core.customFields.list(scope)),
  }),
  route({
    id: 'createCustomField',
    summary: 'Create a custom field',
    method: 'post',
    path: fields,
    auth: 'api-key',
    body: CustomFieldFields,
    alsoWrong: (core, { scope, body }) => core.customFields.violations.create(scope, body),
    success: [201, CustomFieldView],
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, body }) => core.customFields.create(scope, body),
  }),
  route({
    id: 'deleteCustomField',
    summary: 'Delete a custom field',
    method: 'delete',
    path: `${fields}/{name}`,
    auth: 'api-key',
    success: [200, CustomFieldView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.customFields.remove(scope, params.name),
  }),
]

export const contactTagRoutes = resourceRoutes({
  noun: 'ContactTag',
  plural: 'ContactTags',
  called: 'contact tag',
  path: 'contacts/tags',
  view: ContactTagView,
  fields: ContactTagFields,
  changes: changesOf(ContactTagFields),
  fails: { create: ['duplicate'], update: ['duplicate'] },
  verbs: everyVerb,
  of: (core) => core.contactTags,
})

export const segmentRoutes = resourceRoutes({
  noun: 'Segment',
  plural: 'Segments',
  called: 'segment',
  path: 'segments',
  view: SegmentView,
  fields: SegmentFields,
  changes: SegmentChanges,
  fails: { remove: ['blocked'] },
  verbs: everyVerb,
  of: (core) => core.segments,
})

export const suppressionRoutes = [
  route({
    id: 'listSuppressions',
    summary: 'List suppressions',
    method: 'get',
    path: '/v1/projectId/{projectId}/suppression-list',
    auth: 'api-key',
    query: SuppressionQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(SuppressionView.shape, query),
    success: [200, listOf(SuppressionView)],
    paginated: true,
    fails: ['invalid', 'forbidden'],
    run: async (core, { scope, query: { limit, ...query } }) =>
      limit === 'unlimited'
        ? { streamed: core.suppressions.all(scope, query) }
        : core.suppressions.list(scope, { ...query, limit }),
  }),
  ...resourceRoutes({
    noun: 'Suppression',
    plural: 'Suppressions',
    called: 'suppression',
    path: 'suppression-list',
    view: SuppressionView,
    fields: SuppressionFields,
    changes: SuppressionFields,
    fails: { create: ['duplicate'] },
    verbs: ['create', 'remove'],
    of: (core) => core.suppressions,
  }),
]
