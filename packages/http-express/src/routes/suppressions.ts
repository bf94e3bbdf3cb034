import { SuppressionFields, SuppressionView } from '@posthorn/core'
import { resourceRoutes } from '../resource-routes.js'

export const suppressionRoutes = resourceRoutes({
  noun: 'Suppression',
  plural: 'Suppressions',
  called: 'suppression',
  path: 'suppression-list',
  view: SuppressionView,
  fields: SuppressionFields,
  changes: SuppressionFields,
  fails: { create: ['duplicate'] },
  verbs: ['list', 'create', 'remove'],
  of: (core) => core.suppressions,
})
