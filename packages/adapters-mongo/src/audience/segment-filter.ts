import {
  type Contact,
  engagementDates,
  type FieldValue,
  isBuiltInProperty,
  isStorableText,
  type SegmentWords,
  segmentIn,
} from '@posthorn/core/ports'
import type { Document } from 'mongodb'
import { keptKey } from '../repository/document.js'

const propertiesOf = ({
  email,
  name,
  createdAt,
  customFields,
}: Contact): readonly (readonly [string, FieldValue | undefined])[] => [
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

const always: Document = {}
const never: Document = { _id: { $in: [] } }
const all = (several: readonly Document[]): Document => (several.length > 0 ? { $and: several } : always)

/** As the server spells it. It compares values of one type only: a text is neither above nor below a number. */
const comparisons = { '>': '$gt', '>=': '$gte', '<': '$lt', '<=': '$lte' } as const

const words: SegmentWords<Document> = {
  always,
  never,
  not: (one) => ({ $nor: [one] }),
  all,
  any: (several) => (several.length > 0 ? { $or: several } : never),

  equal: (property, given) => {
    if (typeof given !== 'string') return { [pathOf(property)]: { $eq: given } }
    return isStorableText(given) ? { [loweredPathOf(property)]: { $eq: given } } : never
  },
  containing: (property, text) =>
    isStorableText(text) ? { [loweredPathOf(property)]: { $regex: literal(text) } } : never,
  compared: (property, comparison, given) => ({ [pathOf(property)]: { [comparisons[comparison]]: given } }),
  empty: (property) => ({ [pathOf(property)]: { $in: [null, ''] } }),
  isTrue: (property) => ({ [pathOf(property)]: { $eq: true } }),
  tagged: (tag) => (isStorableText(tag) ? { tags: { $eq: tag } } : never),
  engaged: (how, since) => ({ [engagementDates[how]]: since === undefined ? { $exists: true } : { $gte: since } }),
  /** Dates are texts that compare as they are stored. Whatever else is text has been one, before its field changed. */
  dated: (property, comparison, instant) =>
    all([{ [pathOf(property)]: { $gt: '' } }, { [pathOf(property)]: { [comparisons[comparison]]: instant } }]),
  onDay: (property, day) => ({ [pathOf(property)]: { $regex: `^${literal(day)}` } }),
}

/** The meaning of `matches(groups, contact, now)` as a filter on the documents of contacts. */
export const segmentFilter = segmentIn(words)
