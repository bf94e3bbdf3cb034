import type { Core, Scope } from '@posthorn/core'
import {
  ContactChanges,
  ContactFields,
  ContactView,
  contactFilters,
  ListQueryFields,
} from '@posthorn/core/ports/transport'
import { listOf, route } from '../route.js'

const all = '/v1/projectId/{projectId}/contacts'
const one = '/v1/projectId/{projectId}/contacts/{email}'
const legacyAll = ['/v1/contacts/{projectId}']
const legacyOne = ['/v1/contacts/{projectId}/{email}']

type Asking = { readonly scope: Scope; readonly isLegacy: boolean }

/** The legacy endpoints also return the owners of a single contact (spec, "Contacts"). */
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
