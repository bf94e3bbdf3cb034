import { randomUUID } from 'node:crypto'
import {
  isContainingText,
  isStorableText,
  type Scalar,
  type StoredRecord,
  type WhereValue,
} from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'

/** Fields that begin with an underscore are the adapter's, and never returned. */
export type StoredDocument = Document & { readonly _id: string }

/** Every write sets a new one, which reveals concurrent changes. */
export const newRevision = (): string => randomUUID()

/** Prefixes with `~` what server, driver or BSON would misread: operators and references (`$…`), types (`_bsontype`), and `~…`. */
export const escapedKey = (key: string): string => (/^[$~]/.test(key) || key === '_bsontype' ? `~${key}` : key)
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

export const documentOfRecord = (
  record: StoredRecord,
  own: Readonly<Record<`_${string}`, unknown>>,
): StoredDocument => ({
  ...(mapped(record, escapedKey) as StoredDocument),
  ...own,
})

export const recordOfDocument = <T extends StoredRecord>(document: Document): T => {
  const shown = Object.entries(document).filter(([key]) => key === '_id' || !key.startsWith('_'))
  return mapped(Object.fromEntries(shown), shownKey) as T
}

/** The driver would search for U+FFFD instead of half a surrogate pair. */
const isText = (value: Scalar) => typeof value !== 'string' || !/\p{Surrogate}/u.test(value)

export const escapedFieldPath = (key: string) => key.split('.').map(escapedKey).join('.')

export const literalPattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/#\s-]/g, '\\$&')

const part = (text: string): Document =>
  isStorableText(text) ? { $regex: literalPattern(text), $options: 'i' } : { $in: [] }

const condition = (wanted: WhereValue): Document => {
  if (wanted === undefined) return { $exists: false }
  if (isContainingText(wanted)) return part(wanted.containing)
  const given: readonly Scalar[] = typeof wanted === 'object' && wanted !== null ? wanted : [wanted]
  const values = given.filter(isText)
  const [first] = values
  // MongoDB's null also matches absent fields, but in a record an absent field is not null.
  const present = values.includes(null) ? { $exists: true } : {}
  return values.length === 1 ? { $eq: first, ...present } : { $in: values, ...present }
}

/** Compiles a `Where`. Values are always operands, never operators. */
export const filterOf = (where: object): Document =>
  Object.fromEntries(
    Object.entries(where).map(([key, wanted]) => [escapedFieldPath(key), condition(wanted as WhereValue)]),
  )

export const matchesAtMostOneDocument = (where: object, fields: readonly string[]): boolean =>
  fields.every((field) => {
    const wanted = (where as Readonly<Record<string, WhereValue>>)[field]
    return wanted !== undefined && !Array.isArray(wanted) && !isContainingText(wanted)
  })

/** A field must be one of no values. */
export const matchesNoDocument = (where: object): boolean =>
  Object.values(where).some((wanted) => Array.isArray(wanted) && wanted.length === 0)
