import { ContactChanges, ContactFields, ContactView, ListQueryFields } from '@posthorn/core'
import { listOf, route } from '../route.js'

const all = '/v1/projectId/{projectId}/contacts'
const one = '/v1/projectId/{projectId}/contacts/{email}'
const legacyAll = ['/v1/contacts/{projectId}']
const legacyOne = ['/v1/contacts/{projectId}/{email}']

export const contactRoutes = [
  route({
    id: 'listContacts',
    summary: 'The project’s contacts',
    method: 'get',
    path: all,
    alsoAt: legacyAll,
    auth: 'api-key-or-origin',
    query: ListQueryFields,
    success: [200, listOf(ContactView)],
    paginated: true,
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, query }) => core.contacts.list(scope, query),
  }),
  route({
    id: 'createContact',
    summary: 'Add a contact',
    method: 'post',
    path: all,
    alsoAt: legacyAll,
    auth: 'api-key-or-origin',
    body: ContactFields,
    success: [201, ContactView],
    fails: ['invalid', 'forbidden', 'blocked'],
    run: (core, { scope, body }) => core.contacts.create(scope, body),
  }),
  route({
    id: 'getContact',
    summary: 'A contact by its address, in any spelling',
    method: 'get',
    path: one,
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    success: [200, ContactView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.contacts.get(scope, params.email),
  }),
  route({
    id: 'updateContact',
    summary: 'Change a contact',
    method: 'patch',
    path: one,
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    body: ContactChanges,
    success: [200, ContactView],
    fails: ['invalid', 'forbidden', 'not-found', 'blocked'],
    run: (core, { scope, params, body }) => core.contacts.update(scope, params.email, body),
  }),
  route({
    id: 'deleteContact',
    summary: 'Remove a contact, from every list too',
    method: 'delete',
    path: one,
    alsoAt: legacyOne,
    auth: 'api-key-or-origin',
    success: [200, ContactView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.contacts.remove(scope, params.email),
  }),
]
