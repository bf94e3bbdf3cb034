import { randomUUID } from 'node:crypto'
import type { Stored } from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'

/** A stored record, with additional fields of the adapter, which begin with an underscore and are never returned. */
export type StoredDocument = Document & { readonly _id: string }

/** A new value for `_revision`: every write of a record sets one, so that changes based on an older state are detected. */
export const newRevision = (): string => randomUUID()

/**
 * Prefixes keys that the server, the driver or BSON would misread with `~`: operators and database references (`$…`), BSON types
 * (`_bsontype`), and keys that begin with `~`.
 */
export const keptKey = (key: string): string => (/^[$~]/.test(key) || key === '_bsontype' ? `~${key}` : key)
const shownKey = (key: string): string => (key.startsWith('~') ? key.slice(1) : key)

const mapped = (value: unknown, keyOf: (key: string) => string): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => mapped(one, keyOf))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [keyOf(key), mapped(one, keyOf)]),
  )
}

/** A copy of the record as it is stored, with the adapter's fields. */
export const documentOf = (record: Stored, own: Readonly<Record<`_${string}`, unknown>>): StoredDocument => ({
  ...(mapped(record, keptKey) as StoredDocument),
  ...own,
})

export const recordOf = <T extends Stored>(document: Document): T => {
  const shown = Object.entries(document).filter(([key]) => key === '_id' || !key.startsWith('_'))
  return mapped(Object.fromEntries(shown), shownKey) as T
}
