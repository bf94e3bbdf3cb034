import type { Scalar, WhereValue } from '@posthorn/core/ports'
import type { Document } from 'mongodb'
import { keptKey } from './document.js'

/** UTF-8 has no bytes for half of a surrogate pair: the driver would look for U+FFFD instead. */
const isText = (value: Scalar) => typeof value !== 'string' || !/\p{Surrogate}/u.test(value)

/** `customFields.city`: one level into an object. */
export const pathOf = (key: string) => key.split('.').map(keptKey).join('.')

const condition = (wanted: WhereValue): Document => {
  if (wanted === undefined) return { $exists: false }
  const given: readonly Scalar[] = typeof wanted === 'object' && wanted !== null ? wanted : [wanted]
  const values = given.filter(isText)
  const [first] = values
  // To MongoDB an absent field is null; a record that has none does not say null.
  const present = values.includes(null) ? { $exists: true } : {}
  return values.length === 1 ? { $eq: first, ...present } : { $in: values, ...present }
}

/** The filter of a `Where`. Values are always operands, never operators. */
export const filterOf = (where: object): Document =>
  Object.fromEntries(Object.entries(where).map(([key, wanted]) => [pathOf(key), condition(wanted as WhereValue)]))

/** Whether the fields are each asked for by one value: where they are a unique key, at most one record fits. */
export const isSettled = (where: object, fields: readonly string[]): boolean =>
  fields.every((field) => {
    const wanted = (where as Readonly<Record<string, WhereValue>>)[field]
    return wanted !== undefined && !Array.isArray(wanted)
  })

/** Whether nothing can fit, as one of no values is asked for. */
export const isNobody = (where: object): boolean =>
  Object.values(where).some((wanted) => Array.isArray(wanted) && wanted.length === 0)
