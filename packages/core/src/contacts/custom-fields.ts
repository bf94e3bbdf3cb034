import { byteBoundedCache } from '../kernel/byte-bounded-cache.js'
import { collected } from '../kernel/listing.js'
import type { Clock } from '../kernel/ports.js'
import type { Lookup, RepositoriesFor } from '../kernel/repository.js'
import type { CustomField } from './custom-field.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ customFields: CustomField }> & {
    readonly projects: Lookup<{ readonly _id: string; readonly customFieldsVersion?: string }>
  }
  readonly clock: Clock
}

/** The custom fields of a project, in `_id` order. */
export type CustomFieldsOf = (projectId: string) => Promise<readonly CustomField[]>

type Cached = { readonly version: string; readonly readAt: number; readonly fields: readonly CustomField[] }

const maxBytes = 16 * 1024 * 1024
/** Overhead of a cached field in bytes, beside its two names. */
const fieldOverhead = 400
/**
 * Cached fields expire after 60 s (in ms). This covers a process that dies between changing a field and changing the version: other
 * processes would use the old fields forever.
 */
const cacheTtl = 60_000

/** Caches the fields of a project until its `customFieldsVersion` changes, which every change of a field does. */
export const customFieldsOf = ({ repositories: { customFields, projects }, clock }: Deps): CustomFieldsOf => {
  const cache = byteBoundedCache<string, Cached>({
    maxBytes,
    sizeOf: (projectId, { fields }) =>
      fields.reduce((sum, { name }) => sum + fieldOverhead + 4 * name.length, 2 * projectId.length),
  })

  return async (projectId) => {
    const version = (await projects.get({ _id: projectId }))?.customFieldsVersion
    const now = clock().getTime()
    const cached = cache.get(projectId)
    if (cached && cached.version === version && now - cached.readAt < cacheTtl) return cached.fields
    const fields = await collected(customFields.each({ projectId }))
    if (version !== undefined) cache.set(projectId, { version, readAt: now, fields })
    return fields
  }
}
