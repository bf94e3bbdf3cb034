import { z } from 'zod'
import { foundIn } from '../kernel/found.js'
import { ListQueryFields, parsedQuery } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock } from '../kernel/ports.js'
import { invalid, Refusal } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { KeyTaken, type Page } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { type DesignSystem, DesignSystemView, mergedDesign, resetOverrides, setOverrides } from './design-system.js'
import { DesignSystemChanges, givenOverrides } from './override-input.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; designSystems: DesignSystem }>
  readonly clock: Clock
}

/** The standard list query, with the spec's sort fields and defaults for design systems. */
export const DesignSystemQuery = ListQueryFields.extend({
  sort: z.enum(['name', 'updatedAt', 'createdAt']).default('updatedAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
})

const name = 'Standard'
const mostOverrides = 500

/** The spec's own sentence, including the full stop. */
const designSystemNotFound = () => new Refusal('not-found', 'Design system not found.')

/** Spec, "Design systems". Every project starts with the base. Its overrides are a separate record, which the first override creates. */
export const designSystemUseCases = ({ repositories: { projects, designSystems }, clock }: Deps) => {
  const projectOf = async ({ projectId }: Scope): Promise<Project> => {
    return foundIn(projects, { _id: projectId })
  }

  const show = ({ designSystemId, createdAt }: Project, own: DesignSystem | undefined): DesignSystemView =>
    DesignSystemView.parse({
      _id: designSystemId,
      name,
      ...mergedDesign(own?.overrides ?? []),
      createdAt,
      updatedAt: own?.updatedAt ?? createdAt,
    })

  /** Changes the record, or creates it. If two callers create it at once, the second changes the first one's record. */
  const change = async (
    { _id: projectId, designSystemId: _id }: Project,
    decide: (overrides: DesignSystem['overrides']) => DesignSystem['overrides'],
  ): Promise<DesignSystem> => {
    const now = clock().toISOString()
    const decided = (current: DesignSystem): DesignSystem => ({
      ...current,
      overrides: decide(current.overrides),
      updatedAt: now,
    })
    const there = () => designSystems.change({ _id, projectId }, decided)
    const changed = await there()
    if (changed) return changed
    const made = decided({ _id, projectId, overrides: [], ...stamps(now) })
    try {
      await designSystems.add(made)
      return made
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
      return (await there()) ?? made
    }
  }

  return {
    /** The project's design system, if the filter matches it. @throws Refusal `invalid` */
    list: async (scope: Scope, query: z.output<typeof DesignSystemQuery>): Promise<Page<DesignSystemView>> => {
      const { where } = parsedQuery(DesignSystemView.shape, query)
      const project = await projectOf(scope)
      const shown = show(project, await designSystems.get({ _id: project.designSystemId }))
      const fits = Object.entries(where).every(([field, value]) => shown[field as keyof DesignSystemView] === value)
      const items = fits ? [shown] : []
      return { items: items.slice(query.skip, query.skip + query.limit), count: items.length }
    },

    /**
     * Sets and resets overrides. Resetting an entry without an override has no effect.
     * @throws Refusal `invalid` with every violation, `not-found` for an id that is not the project's own
     */
    update: async (scope: Scope, id: string, input: DesignSystemChanges): Promise<DesignSystemView> => {
      const changes = parsed(DesignSystemChanges, input)
      const project = await projectOf(scope)
      if (id !== project.designSystemId) throw designSystemNotFound()
      const own = await change(project, (overrides) => {
        const next = setOverrides(resetOverrides(overrides, changes.resetOverrides ?? []), givenOverrides(changes))
        if (next.length > mostOverrides) throw invalid(`setOverrides: a design system has ${mostOverrides} at most`)
        return next
      })
      return show(project, own)
    },
  }
}
