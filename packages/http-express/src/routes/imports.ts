import {
  ImportFields,
  ImportPreview,
  ImportPreviewQuery,
  ImportStart,
  ImportView,
} from '@posthorn/core/ports/transport'
import { downloadSchemaOf } from '../response.js'
import { pagedRouteParts, route } from '../route.js'

const all = '/v1/projectId/{projectId}/imports'
const one = '/v1/projectId/{projectId}/imports/{id}'

export const importRoutes = [
  route('get', all, {
    id: 'listImports',
    ...pagedRouteParts(ImportView),
    run: (core, { scope, query }) => core.imports.list(scope, query),
  }),
  route('post', all, {
    id: 'uploadImport',
    summary: 'Upload a file of contacts',
    permission: 'contacts.edit',
    body: ImportFields,
    upload: {
      part: 'file',
      types: 'text/csv, application/x-ndjson',
      receiver: {
        receive: (core, scope, fileName, bytes) => core.imports.receive(scope, fileName, bytes),
        discard: (core, received) => core.imports.discard(received),
      },
    },
    success: [201, ImportView],
    fails: ['blocked'],
    run: (core, { scope, body }) => core.imports.create(scope, body),
    made: (core, { scope }) => core.imports.made(scope),
  }),
  route('get', one, {
    id: 'getImport',
    success: [200, ImportView],
    run: (core, { scope, params }) => core.imports.get(scope, params.id),
  }),
  route('get', `${one}/preview`, {
    id: 'previewImport',
    permission: 'contacts.edit',
    query: ImportPreviewQuery,
    success: [200, ImportPreview],
    fails: ['blocked'],
    weight: () => 10,
    run: (core, { scope, params, query }) => core.imports.preview(scope, params.id, query),
  }),
  route('post', `${one}/start`, {
    id: 'startImport',
    permission: 'contacts.edit',
    body: ImportStart,
    success: [200, ImportView],
    fails: ['blocked'],
    weight: () => 10,
    run: (core, { scope, params, body }) => core.imports.start(scope, params.id, body),
    made: (core, { scope, params }) => core.imports.moved(scope, params.id, 'start'),
  }),
  route('post', `${one}/cancel`, {
    id: 'cancelImport',
    permission: 'contacts.edit',
    success: [200, ImportView],
    fails: ['blocked'],
    run: (core, { scope, params }) => core.imports.cancel(scope, params.id),
    made: (core, { scope, params }) => core.imports.moved(scope, params.id, 'cancel'),
  }),
  route('get', `${one}/errors`, {
    id: 'exportImportErrors',
    summary: 'Download the failed rows of an import',
    permission: 'contacts.edit',
    success: [200, downloadSchemaOf('text/csv')],
    fails: ['blocked'],
    run: async (core, { scope, params }) => ({
      filename: `import-${params.id}-errors.csv`,
      contentType: 'text/csv',
      chunks: await core.imports.errors(scope, params.id),
    }),
  }),
]
