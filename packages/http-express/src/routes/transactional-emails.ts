import { changesOf, TransactionalEmailFields, TransactionalEmailView } from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'

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
