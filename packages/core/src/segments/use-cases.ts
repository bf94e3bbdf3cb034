import { collected } from '../kernel/listing.js'
import { changesOf } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import { blocked, invalid } from '../kernel/refusal.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { conditionViolations } from './conditions.js'
import { type Groups, type Segment, SegmentFields, SegmentView } from './segment.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'segments' | 'customFields' | 'campaigns'>
  readonly clock: Clock
  readonly newId: NewId
}

export const SegmentChanges = changesOf(SegmentFields).meta({ id: 'SegmentChanges' })

/** Spec, "Segments". */
export const segmentUseCases = ({ repositories: { segments, customFields, campaigns }, clock, newId }: Deps) => {
  const resource = projectResource('Segment', segments, SegmentView)

  const assertMeaningful = async (projectId: string, groups: Groups | undefined): Promise<void> => {
    if (!groups) return
    const wrong = conditionViolations(groups, await collected(customFields.each({ projectId })))
    if (wrong.length > 0) throw invalid(...wrong)
  }

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid`, also for a condition whose value does not fit */
    create: async ({ projectId, requestId }: Scope, input: unknown): Promise<SegmentView> => {
      const { name, groups } = parsed(SegmentFields, input)
      await assertMeaningful(projectId, groups)
      const now = clock().toISOString()
      const segment: Segment = { _id: requestId ?? newId(), projectId, name, groups, createdAt: now, updatedAt: now }
      await segments.add(segment)
      return resource.show(segment)
    },

    /** Merges the given fields; groups are replaced whole. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: unknown): Promise<SegmentView> => {
      const changes = parsed(SegmentChanges, input)
      await assertMeaningful(scope.projectId, changes.groups)
      const now = clock().toISOString()
      return resource.change(scope, id, (segment) => updated(segment, changes, now))
    },

    /** @throws Refusal `not-found`, `blocked` while a campaign that is to be sent uses it */
    remove: async (scope: Scope, id: string): Promise<SegmentView> => {
      await resource.stored(scope, id)
      const user = await campaigns.get({
        projectId: scope.projectId,
        segmentId: id,
        status: ['draft', 'scheduled', 'being-sent', 'error'],
      })
      if (user) throw blocked(`The segment is in use by the campaign ${user.name}.`)
      return resource.remove(scope, id)
    },
  }
}
