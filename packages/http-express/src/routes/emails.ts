import {
  changesOf,
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
} from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'
import { listOf, route } from '../route.js'

export const triggeredEmailRoutes = resourceRoutes({
  noun: 'TriggeredEmail',
  plural: 'TriggeredEmails',
  called: 'triggered email',
  path: 'triggered-emails',
  view: TriggeredEmailView,
  fields: TriggeredEmailFields,
  changes: changesOf(TriggeredEmailFields),
  fails: { create: ['not-found'] },
  verbs: everyVerb,
  of: (core) => core.triggeredEmails,
})

export const transactionalEmailRoutes = resourceRoutes({
  noun: 'TransactionalEmail',
  plural: 'TransactionalEmails',
  called: 'transactional email',
  path: 'transactional-emails',
  view: TransactionalEmailView,
  fields: TransactionalEmailFields,
  changes: changesOf(TransactionalEmailFields),
  fails: { create: ['not-found'], update: ['blocked'], remove: ['blocked'] },
  verbs: everyVerb,
  of: (core) => core.transactionalEmails,
})

export const templateRoutes = resourceRoutes({
  noun: 'Template',
  plural: 'Templates',
  called: 'template',
  path: 'templates',
  view: TemplateView,
  fields: TemplateFields,
  changes: TemplateChanges,
  verbs: everyVerb,
  of: (core) => core.templates,
})

const path = '/v1/projectId/{projectId}/design-systems'

export const designSystemRoutes = [
  route({
    id: 'listDesignSystems',
    summary: 'List design systems',
    method: 'get',
    path,
    auth: 'api-key',
    query: DesignSystemQuery,
    alsoWrong: (_core, { query }) => listQueryViolations(DesignSystemView.shape, query),
    success: [200, listOf(DesignSystemView)],
    paginated: true,
    fails: ['invalid', 'forbidden'],
    run: (core, { scope, query }) => core.designSystems.list(scope, query),
  }),
  route({
    id: 'updateDesignSystem',
    summary: 'Update a design system',
    method: 'patch',
    path: `${path}/{id}`,
    auth: 'api-key',
    body: DesignSystemChanges,
    success: [200, DesignSystemView],
    fails: ['invalid', 'forbidden', 'not-found'],
    run: (core, { scope, params, body }) => core.designSystems.update(scope, params.id, body),
  }),
]
