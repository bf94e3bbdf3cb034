import {
  DesignSystemChanges,
  DesignSystemQuery,
  DesignSystemView,
  listQueryViolations,
  TemplateChanges,
  TemplateFields,
  TemplateView,
  TransactionalEmailFields,
  TransactionalEmailView,
  TriggeredEmailFields,
  TriggeredEmailView,
  versionedChangesSchemaOf,
} from '@posthorn/core/ports/transport'
import { resourceRoutes } from '../resource-routes.js'
import { listResponseOf, route } from '../route.js'

export const triggeredEmailRoutes = resourceRoutes({
  noun: 'TriggeredEmail',
  path: 'triggered-emails',
  view: TriggeredEmailView,
  fields: TriggeredEmailFields,
  changes: versionedChangesSchemaOf(TriggeredEmailFields),
  fails: { create: ['not-found'] },
  of: (core) => core.triggeredEmails,
})

export const transactionalEmailRoutes = resourceRoutes({
  noun: 'TransactionalEmail',
  path: 'transactional-emails',
  view: TransactionalEmailView,
  fields: TransactionalEmailFields,
  changes: versionedChangesSchemaOf(TransactionalEmailFields),
  fails: { create: ['not-found'], update: ['blocked'], remove: ['blocked'] },
  of: (core) => core.transactionalEmails,
})

export const templateRoutes = resourceRoutes({
  noun: 'Template',
  path: 'templates',
  view: TemplateView,
  fields: TemplateFields,
  changes: TemplateChanges,
  of: (core) => core.templates,
})

const path = '/v1/projectId/{projectId}/design-systems'

export const designSystemRoutes = [
  route('get', path, {
    id: 'listDesignSystems',
    query: DesignSystemQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(DesignSystemView.shape, query),
    success: [200, listResponseOf(DesignSystemView)],
    paginated: true,
    run: (core, { scope, query }) => core.designSystems.list(scope, query),
  }),
  route('patch', `${path}/{id}`, {
    id: 'updateDesignSystem',
    body: DesignSystemChanges,
    success: [200, DesignSystemView],
    fails: ['duplicate'],
    run: (core, { scope, params, body }) => core.designSystems.update(scope, params.id, body),
  }),
]
