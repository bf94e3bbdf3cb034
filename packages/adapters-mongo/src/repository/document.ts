import { randomUUID } from 'node:crypto'
import type { Stored } from '@posthorn/core/ports'
import type { Document } from 'mongodb'

/** A record as it is kept: with fields of the adapter's own beside it, which begin with an underscore and are never shown. */
export type StoredDocument = Document & { readonly _id: string }

/** A new value for `_revision`: every write of a record brings one, so that a change based on an older state is noticed. */
export const newRevision = (): string => randomUUID()

/**
 * Keys that the server, the driver or BSON would read as something else get a mark in front: operators and database references
 * (`$…`), types of BSON (`_bsontype`), and what begins with the mark.
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

/** The record as it is kept, a copy of it, with the fields of the adapter's own. */
export const documentOf = (record: Stored, own: Readonly<Record<`_${string}`, unknown>>): StoredDocument => ({
  ...(mapped(record, keptKey) as StoredDocument),
  ...own,
})

/** The record that a document keeps. */
export const recordOf = <T extends Stored>(document: Document): T => {
  const shown = Object.entries(document).filter(([key]) => key === '_id' || !key.startsWith('_'))
  return mapped(Object.fromEntries(shown), shownKey) as T
}
