import { z } from 'zod'
import { collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { blocked, duplicate, forbidden } from '../kernel/refusal.js'
import { orNotFound, RecordLimitReached, type RepositoriesFor, refuseIfKeyTaken } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { headerTextSchema, Id, type InProject, stamps } from '../kernel/shapes.js'

export type SavedView = InProject & {
  readonly personId: string
  readonly page: string
  readonly name: string
  readonly search: string
}

/** Of one person in one project. */
const mostViews = 50
const ViewName = headerTextSchema(80).trim().min(1)

export const SavedViewFields = z.strictObject({
  page: z.enum(['contacts', 'campaigns', 'deliveries', 'audit']).meta({ description: 'The table that it filters' }),
  name: ViewName,
  search: z
    .string()
    .min(1)
    .max(4_000)
    .meta({ description: 'What the address of the table says after the question mark' }),
})

export const SavedViewChanges = z.strictObject({ name: ViewName })

export const SavedViewView = z
  .object({ _id: Id, page: z.string(), name: z.string(), search: z.string() })
  .meta({ id: 'SavedView' })
export type SavedViewView = z.output<typeof SavedViewView>

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ savedViews: SavedView }>
}

/** Everybody sees only their own. */
export const savedViewUseCases = ({ repositories: { savedViews }, clock, newId }: Deps) => {
  const ownIn = ({ projectId, person }: Scope) => {
    if (!person) throw forbidden()
    return { projectId, personId: person._id }
  }
  const refuseTaken = refuseIfKeyTaken(() => duplicate('You have a view of this name already.'))

  return {
    list: async (scope: Scope): Promise<readonly SavedViewView[]> => {
      const own = await collected(savedViews.each(ownIn(scope)))
      return own.map((one) => SavedViewView.parse(one)).sort((a, b) => (a.name < b.name ? -1 : 1))
    },

    /** @throws Refusal `invalid`, `duplicate`, `blocked` with too many */
    create: async (scope: Scope, input: z.input<typeof SavedViewFields>): Promise<SavedViewView> => {
      const own = ownIn(scope)
      const view: SavedView = {
        _id: newId(),
        ...own,
        ...parsed(SavedViewFields, input),
        ...stamps(clock().toISOString()),
      }
      await savedViews.add(view, { where: own, limit: mostViews }).catch((error: unknown) => {
        if (error instanceof RecordLimitReached)
          throw blocked(`You have ${mostViews} views in this project already. Remove one.`)
        return refuseTaken(error)
      })
      return SavedViewView.parse(view)
    },

    /** @throws Refusal `invalid`, `not-found`, `duplicate` */
    rename: async (scope: Scope, id: string, input: z.input<typeof SavedViewChanges>): Promise<SavedViewView> => {
      const { name } = parsed(SavedViewChanges, input)
      const updatedAt = clock().toISOString()
      const renamed = await savedViews
        .change({ ...ownIn(scope), _id: id }, (view) => ({ ...view, name, updatedAt }))
        .catch(refuseTaken)
      return SavedViewView.parse(orNotFound(savedViews, renamed))
    },

    /** @throws Refusal `not-found` */
    remove: async (scope: Scope, id: string): Promise<SavedViewView> =>
      SavedViewView.parse(orNotFound(savedViews, await savedViews.remove({ ...ownIn(scope), _id: id }))),
  }
}
