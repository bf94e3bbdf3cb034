import { CustomFieldFields, CustomFieldView, ListQueryFields } from '@posthorn/core/ports/transport'
import { listOf, route, whole } from '../route.js'

const path = '/v1/projectId/{projectId}/contacts/fields'

export const customFieldRoutes = [
  route({
    id: 'listCustomFields',
    summary: 'List custom fields',
    method: 'get',
    path,
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
    path,
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
    path: `${path}/{name}`,
    auth: 'api-key',
    success: [200, CustomFieldView],
    fails: ['forbidden', 'not-found'],
    run: (core, { scope, params }) => core.customFields.remove(scope, params.name),
  }),
]
