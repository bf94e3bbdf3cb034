import {
  type Condition,
  type Contact,
  daysBefore,
  engagementDates,
  type FieldValue,
  type Groups,
  instantOfValue,
  isBuiltInProperty,
  isStorableText,
} from '@posthorn/core'
import type { Document } from 'mongodb'
import { keptKey } from './mongo-document.js'

type Given = FieldValue | undefined
type Comparison = '$gt' | '$gte' | '$lt' | '$lte'

const always: Document = {}
const never: Document = { _id: { $in: [] } }
const not = (condition: Document): Document => ({ $nor: [condition] })
const all = (conditions: readonly Document[]): Document => (conditions.length > 0 ? { $and: conditions } : always)
const any = (conditions: readonly Document[]): Document => (conditions.length > 0 ? { $or: conditions } : never)

const propertiesOf = ({ email, name, createdAt, customFields }: Contact): readonly (readonly [string, Given])[] => [
  ...Object.entries({ email, name, createdAt }),
  ...Object.entries(customFields).filter(([property]) => !isBuiltInProperty(property)),
]

/**
 * The texts of a contact in lower case, as conditions compare them. They are kept beside it: the server has the lower case of
 * ASCII alone, and knows other letters than `matches` as equal when it ignores case.
 */
export const loweredTexts = (contact: Contact): Readonly<Record<string, string>> =>
  Object.fromEntries(
    propertiesOf(contact).flatMap(([property, value]) =>
      typeof value === 'string' ? [[keptKey(property), value.toLowerCase()]] : [],
    ),
  )

/** Where the property stands in the contact's document. */
const pathOf = (property: string) => (isBuiltInProperty(property) ? property : `customFields.${keptKey(property)}`)
const loweredPathOf = (property: string) => `_lower.${keptKey(property)}`

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/#\s-]/g, '\\$&')

const equal = (property: string, given: Given): Document => {
  if (given === undefined) return never
  if (typeof given !== 'string') return { [pathOf(property)]: { $eq: given } }
  return isStorableText(given) ? { [loweredPathOf(property)]: { $eq: given.toLowerCase() } } : never
}

const containing = (property: string, given: Given): Document =>
  typeof given === 'string' && isStorableText(given)
    ? { [loweredPathOf(property)]: { $regex: literal(given.toLowerCase()) } }
    : never

/** MongoDB compares values of one type only: a text is neither above nor below a number. */
const compared = (property: string, comparison: Comparison, given: Given): Document =>
  typeof given === 'number' ? { [pathOf(property)]: { [comparison]: given } } : never

const empty = (property: string): Document => ({ [pathOf(property)]: { $in: [null, ''] } })

const isTrue = (property: string): Document => ({ [pathOf(property)]: { $eq: true } })

const tagged = (given: Given): Document =>
  typeof given === 'string' && isStorableText(given) ? { tags: { $eq: given.toLowerCase() } } : never

const engaged = (operator: keyof typeof engagementDates, days: Given, now: Date): Document => ({
  [engagementDates[operator]]: typeof days === 'number' ? { $gte: daysBefore(now, days) } : { $exists: true },
})

/** Dates are texts that compare as they are stored. Whatever else is text has been one, before its field changed. */
const dated = (property: string, comparison: Comparison, instant: string | undefined): Document =>
  instant === undefined
    ? never
    : all([{ [pathOf(property)]: { $gt: '' } }, { [pathOf(property)]: { [comparison]: instant } }])

const onDay = (property: string, given: Given): Document => {
  const day = instantOfValue(given)?.slice(0, 10)
  return day === undefined ? never : { [pathOf(property)]: { $regex: `^${literal(day)}` } }
}

const ago = (days: Given, now: Date) => (typeof days === 'number' ? daysBefore(now, days) : undefined)

const conditionFilter = ({ operator, property = '', value }: Condition, now: Date): Document => {
  switch (operator) {
    case 'any':
      return always
    case 'equals':
      return equal(property, value)
    case 'does-not-equal':
      return not(equal(property, value))
    case 'contains':
      return containing(property, value)
    case 'does-not-contain':
      return not(containing(property, value))
    case 'is-empty':
      return empty(property)
    case 'is-not-empty':
      return not(empty(property))
    case 'is-true':
      return isTrue(property)
    case 'is-false':
      return not(isTrue(property))
    case 'greater-than':
      return compared(property, '$gt', value)
    case 'greater-than-or-equal':
      return compared(property, '$gte', value)
    case 'less-than':
      return compared(property, '$lt', value)
    case 'less-than-or-equal':
      return compared(property, '$lte', value)
    case 'has-tag':
      return tagged(value)
    case 'does-not-have-tag':
      return not(tagged(value))
    case 'opened':
    case 'clicked':
    case 'received':
      return engaged(operator, value, now)
    case 'not-opened':
      return not(engaged('opened', value, now))
    case 'not-clicked':
      return not(engaged('clicked', value, now))
    case 'not-received':
      return not(engaged('received', value, now))
    case 'date-equals':
      return onDay(property, value)
    case 'date-before':
      return dated(property, '$lt', instantOfValue(value))
    case 'date-after':
      return dated(property, '$gt', instantOfValue(value))
    case 'date-in-last':
      return all([dated(property, '$gte', ago(value, now)), dated(property, '$lte', now.toISOString())])
    case 'date-more-than':
      return dated(property, '$lt', ago(value, now))
  }
}

/** The meaning of `matches(groups, contact, now)` as a filter on the documents of contacts. */
export const segmentFilter = (groups: Groups, now: Date): Document =>
  any(groups.map(({ conditions }) => all(conditions.map((condition) => conditionFilter(condition, now)))))
