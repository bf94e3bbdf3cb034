import type { Scalar, WhereValue } from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'
import { keptKey } from './document.js'

/** UTF-8 cannot encode half of a surrogate pair: the driver would search for U+FFFD instead. */
const isText = (value: Scalar) => typeof value !== 'string' || !/\p{Surrogate}/u.test(value)

/** The path of a key such as `customFields.city`. */
export const pathOf = (key: string) => key.split('.').map(keptKey).join('.')

const condition = (wanted: WhereValue): Document => {
  if (wanted === undefined) return { $exists: false }
  const given: readonly Scalar[] = typeof wanted === 'object' && wanted !== null ? wanted : [wanted]
  const values = given.filter(isText)
  const [first] = values
  // MongoDB's null also matches absent fields, but in a record an absent field is not null.
  const present = values.includes(null) ? { $exists: true } : {}
  return values.length === 1 ? { $eq: first, ...present } : { $in: values, ...present }
}

/** Compiles a `Where`. Values are always operands, never operators. */
export const filterOf = (where: object): Document =>
  Object.fromEntries(Object.entries(where).map(([key, wanted]) => [pathOf(key), condition(wanted as WhereValue)]))

/** Whether each field must equal one value: for a unique key, at most one record then matches. */
export const isSettled = (where: object, fields: readonly string[]): boolean =>
  fields.every((field) => {
    const wanted = (where as Readonly<Record<string, WhereValue>>)[field]
    return wanted !== undefined && !Array.isArray(wanted)
  })

/** Whether nothing can match, because a field must be one of no values. */
export const isNobody = (where: object): boolean =>
  Object.values(where).some((wanted) => Array.isArray(wanted) && wanted.length === 0)
