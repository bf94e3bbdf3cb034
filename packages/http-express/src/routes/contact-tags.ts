import { ContactTagFields, ContactTagView, changesOf } from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'

export const contactTagRoutes = resourceRoutes({
  noun: 'ContactTag',
  plural: 'ContactTags',
  called: 'contact tag',
  path: 'contacts/tags',
  view: ContactTagView,
  fields: ContactTagFields,
  changes: changesOf(ContactTagFields),
  fails: { create: ['duplicate'], update: ['duplicate'] },
  verbs: everyVerb,
  of: (core) => core.contactTags,
})
