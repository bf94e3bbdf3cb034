import { z } from 'zod'
import { type ListQuery, listRecordsPage } from './listing.js'
import { changesSchemaOf, merged } from './merged.js'
import { Refusal } from './refusal.js'
import { getOrNotFound, orNotFound, type Page, type Repository, uncheckedWhere } from './repository.js'
import type { Scope } from './scope.js'
import type { InProject, Stamped } from './shapes.js'

export const BasedOnVersion = z
  .string()
  .optional()
  .describe('`updatedAt` of the version that was changed; 409 if another one has been stored since')

/** As `changesSchemaOf`, for records that several people edit. */
export const versionedChangesSchemaOf = <S extends z.ZodRawShape>(fields: z.ZodObject<S>) =>
  changesSchemaOf(fields).extend({ basedOn: BasedOnVersion })

/** Inside the write, so that nobody saves between. @throws Refusal `duplicate` if the change is based on another version */
export const assertBasedOn = (
  { updatedAt, updatedBy }: { readonly updatedAt: string; readonly updatedBy?: string },
  basedOn: string | undefined,
): void => {
  if (basedOn !== undefined && basedOn !== updatedAt)
    throw new Refusal('duplicate', `${updatedBy ?? 'Somebody'} changed this at ${updatedAt}.`, 'changed-since')
}

/** Merges the fields and stamps the record. Returns the same object if nothing differs, so that nothing is written. */
export const updated = <T extends Stamped>(
  record: T,
  changes: { readonly [K in keyof T]?: T[K] | null | undefined },
  now: string,
): T => {
  const after = merged(record, changes)
  return JSON.stringify(after) === JSON.stringify(record) ? record : { ...after, updatedAt: now }
}

/** An id of another project is not found, and records are returned only in the shape of the view. */
export const projectResource = <T extends InProject, V extends z.ZodObject>(repository: Repository<T>, view: V) => {
  const whereIs = ({ projectId }: Scope, id: string) => uncheckedWhere<InProject, T>({ _id: id, projectId })

  const show = (record: T | undefined): z.output<V> => view.parse(orNotFound(repository, record))

  return {
    whereIs,
    show,
    /** @throws Refusal `not-found` */
    stored: async (scope: Scope, id: string): Promise<T> => getOrNotFound(repository, whereIs(scope, id)),

    list: async ({ projectId }: Scope, query: ListQuery): Promise<Page<z.output<V>>> => {
      const { items, count } = await listRecordsPage(
        repository,
        uncheckedWhere<InProject, T>({ projectId }),
        view,
        query,
      )
      return { items: items.map(show), count }
    },
    /** @throws Refusal `not-found` */
    get: async (scope: Scope, id: string): Promise<z.output<V>> => show(await repository.get(whereIs(scope, id))),
    /** @throws Refusal `not-found` */
    change: async (scope: Scope, id: string, decide: (current: T) => T): Promise<z.output<V>> =>
      show(await repository.change(whereIs(scope, id), decide)),
    /** @throws Refusal `not-found` */
    remove: async (scope: Scope, id: string): Promise<z.output<V>> => show(await repository.remove(whereIs(scope, id))),
  }
}
