import type { z } from 'zod'
import type { CustomField, CustomFieldsOfProject } from '../contacts/custom-field.js'
import type { ListQuery } from '../kernel/listing.js'
import { type InputRule, parsedBy, schemaViolationsOf } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { type ProjectLimits, projectRecordLimit, refuseIfLimitReached } from '../kernel/project-limits.js'
import { projectResource, updated } from '../kernel/project-resource.js'
import type { ReferenceGuard } from '../kernel/references.js'
import { blocked } from '../kernel/refusal.js'
import type { Page, RecordLookup, RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import { conditionViolations, lostSegmentFieldWarnings } from './conditions.js'
import { type Segment, SegmentChanges, SegmentFields, SegmentShape, type SegmentView } from './segment.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ segments: Segment }> & {
    readonly campaigns: RecordLookup<{ projectId: string; segmentId?: string; status: string; name: string }>
  }
  readonly fieldsOf: CustomFieldsOfProject
  readonly references: ReferenceGuard
  readonly settings: { readonly limits: Pick<ProjectLimits, 'segments'> }
}

/** Spec, "Segments". */
export const segmentUseCases = ({ repositories, fieldsOf, references, clock, newId, settings }: Deps) => {
  const { segments, campaigns } = repositories
  const resource = projectResource(segments, SegmentShape)

  /** They fit their operators and the properties of the project’s contacts. */
  const conditionsFit =
    ({ projectId }: Scope): InputRule<z.output<typeof SegmentChanges>> =>
    async ({ groups }) =>
      groups ? conditionViolations(groups, await fieldsOf(projectId)) : []

  const warned = (segment: z.output<typeof SegmentShape>, fields: readonly CustomField[]): SegmentView => {
    const warnings = lostSegmentFieldWarnings(segment.groups, fields)
    return { ...segment, ...(warnings.length > 0 && { warnings: [...warnings] }) }
  }
  const shown = async ({ projectId }: Scope, segment: z.output<typeof SegmentShape>): Promise<SegmentView> =>
    warned(segment, await fieldsOf(projectId))

  return {
    /** @throws Refusal `invalid` */
    list: async (scope: Scope, query: ListQuery): Promise<Page<SegmentView>> => {
      const [{ items, count }, fields] = await Promise.all([resource.list(scope, query), fieldsOf(scope.projectId)])
      return { items: items.map((one) => warned(one, fields)), count }
    },

    /** Warns about deleted custom fields. @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<SegmentView> => shown(scope, await resource.get(scope, id)),

    violations: {
      create: (scope: Scope, input: unknown) => schemaViolationsOf(SegmentFields, input, conditionsFit(scope)),
      update: (scope: Scope, _id: string, input: unknown) =>
        schemaViolationsOf(SegmentChanges, input, conditionsFit(scope)),
    },

    /** @throws Refusal `invalid` */
    create: async (scope: Scope, input: SegmentFields): Promise<SegmentView> => {
      const { projectId, requestId } = scope
      const { name, groups } = await parsedBy(SegmentFields, input, conditionsFit(scope))
      const segment: Segment = { _id: requestId ?? newId(), projectId, name, groups, ...stamps(clock().toISOString()) }
      await segments
        .add(segment, projectRecordLimit(projectId, settings.limits.segments))
        .catch(refuseIfLimitReached('segments'))
      return resource.show(segment)
    },

    /** `groups` is replaced as a whole. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: SegmentChanges): Promise<SegmentView> => {
      const changes = await parsedBy(SegmentChanges, input, conditionsFit(scope))
      const now = clock().toISOString()
      return shown(scope, await resource.change(scope, id, (segment) => updated(segment, changes, now)))
    },

    /** @throws Refusal `not-found`, `blocked` while an unsent campaign uses it */
    remove: async (scope: Scope, id: string): Promise<SegmentView> => {
      const { projectId } = scope
      const assertUnused = async (): Promise<void> => {
        const status = ['draft', 'scheduled', 'being-sent', 'error']
        const user = await campaigns.get({ projectId, segmentId: id, status })
        if (user) throw blocked(`The segment is in use by the campaign ${user.name}.`)
      }
      const target = { repository: segments, _id: id, projectId }
      return shown(
        scope,
        resource.show(await references.unused(target, assertUnused, (where) => segments.remove(where))),
      )
    },
  }
}
