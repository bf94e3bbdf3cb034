import { TemplateChanges, TemplateFields, TemplateView } from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'

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
