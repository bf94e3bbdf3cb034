import { changesOf, TriggeredEmailFields, TriggeredEmailView } from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'

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
