import { SegmentChanges, SegmentFields, SegmentView } from '@posthorn/core/ports/transport'
import { everyVerb, resourceRoutes } from '../resource-routes.js'

export const segmentRoutes = resourceRoutes({
  noun: 'Segment',
  plural: 'Segments',
  called: 'segment',
  path: 'segments',
  view: SegmentView,
  fields: SegmentFields,
  changes: SegmentChanges,
  fails: { remove: ['blocked'] },
  verbs: everyVerb,
  of: (core) => core.segments,
})
