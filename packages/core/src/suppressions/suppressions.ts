import { z } from 'zod'
import { addressKey } from '../kernel/email-address.js'
import { type ListQuery, ListQueryFields, listRecordsPage, parsedSortAndFilter } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { projectResource } from '../kernel/project-resource.js'
import { duplicate } from '../kernel/refusal.js'
import { type Page, type RepositoriesFor, refuseIfKeyTaken, type Where } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { newSuppression, type Suppression, SuppressionFields, SuppressionView } from './suppression.js'

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ suppressions: Suppression }>
}

type Filter = Pick<ListQuery, 'filter'>

/** `limit=unlimited`: the whole list, oldest first, without `skip`, `sort` and `order`. */
export const SuppressionQuery = ListQueryFields.extend({
  limit: z.union([ListQueryFields.shape.limit, z.literal('unlimited')], {
    error: ({ input }) =>
      typeof input === 'string' ? 'expected a whole number, 1 or more, or unlimited' : 'expected a single value',
  }),
})

/** Spec, "Suppression list". */
export const suppressionUseCases = ({ repositories: { suppressions }, clock, newId }: Deps) => {
  const resource = projectResource(suppressions, SuppressionView)

  /** Addresses match in any case, as they are unique in any case. */
  const addressed = ({ projectId }: Scope, { email, ...filter }: NonNullable<ListQuery['filter']> = {}) => ({
    filter,
    where: { projectId, ...(email !== undefined && { emailKey: addressKey(email) }) },
  })

  return {
    /** @throws Refusal `invalid` for an unknown field */
    list: async (scope: Scope, query: ListQuery): Promise<Page<SuppressionView>> => {
      const { where, filter } = addressed(scope, query.filter)
      const { items, count } = await listRecordsPage(suppressions, where, SuppressionView, { ...query, filter })
      return { items: items.map(resource.show), count }
    },

    /** Oldest first, read lazily. @throws Refusal `invalid` for an unknown field, immediately */
    all: (scope: Scope, query: Filter = {}): AsyncIterable<SuppressionView> => {
      const { where, filter } = addressed(scope, query.filter)
      const fitting = {
        ...parsedSortAndFilter(SuppressionView.shape, { filter }).where,
        ...where,
      } as Where<Suppression>
      return (async function* () {
        for await (const suppression of suppressions.each(fitting)) yield resource.show(suppression)
      })()
    },

    /** @throws Refusal `invalid`, `duplicate` for an address suppressed in any spelling */
    create: async ({ projectId }: Scope, input: SuppressionFields): Promise<SuppressionView> => {
      const { email, reason } = parsed(SuppressionFields, input)
      const suppression = newSuppression({ _id: newId(), projectId, email, reason }, clock().toISOString())
      await suppressions
        .add(suppression)
        .catch(refuseIfKeyTaken(() => duplicate('This email is already in the suppression list.')))
      return resource.show(suppression)
    },

    /** @throws Refusal `not-found` */
    remove: resource.remove,
  }
}
