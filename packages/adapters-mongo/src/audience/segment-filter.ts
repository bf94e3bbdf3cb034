import {
  type Contact,
  compileSegment,
  engagementDateFields,
  type FieldValue,
  isBuiltInProperty,
  isStorableText,
  type SegmentQueryBuilder,
} from '@posthorn/core/ports/storage'
import type { Document } from 'mongodb'
import { escapedKey, literalPattern } from '../records/documents.js'

const propertiesOf = ({
  email,
  name,
  createdAt,
  customFields,
}: Contact): readonly (readonly [string, FieldValue | undefined])[] => [
  ...Object.entries({ email, name, createdAt }),
  ...Object.entries(customFields).filter(([property]) => !isBuiltInProperty(property)),
]

/** Conditions compare lower-case texts; the server lower-cases only ASCII. */
export const lowerCaseContactProperties = (contact: Contact): Readonly<Record<string, string>> =>
  Object.fromEntries(
    propertiesOf(contact).flatMap(([property, value]) =>
      typeof value === 'string' ? [[escapedKey(property), value.toLowerCase()]] : [],
    ),
  )

const pathOf = (property: string) => (isBuiltInProperty(property) ? property : `customFields.${escapedKey(property)}`)
const loweredPathOf = (property: string) => `_lower.${escapedKey(property)}`

const always: Document = {}
const never: Document = { _id: { $in: [] } }
const all = (several: readonly Document[]): Document => (several.length > 0 ? { $and: several } : always)

/** Compare only values of the same type. */
const comparisons = { '>': '$gt', '>=': '$gte', '<': '$lt', '<=': '$lte' } as const

const words: SegmentQueryBuilder<Document> = {
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
    isStorableText(text) ? { [loweredPathOf(property)]: { $regex: literalPattern(text) } } : never,
  compared: (property, comparison, given) => ({ [pathOf(property)]: { [comparisons[comparison]]: given } }),
  empty: (property) => ({ [pathOf(property)]: { $in: [null, ''] } }),
  isTrue: (property) => ({ [pathOf(property)]: { $eq: true } }),
  tagged: (tag) => (isStorableText(tag) ? { tags: { $eq: tag } } : never),
  engaged: (how, since) => ({ [engagementDateFields[how]]: since === undefined ? { $exists: true } : { $gte: since } }),
  /** Dates are chronologically sorting texts. Other texts remain from before the field's type changed. */
  dated: (property, comparison, instant) =>
    all([{ [pathOf(property)]: { $gt: '' } }, { [pathOf(property)]: { [comparisons[comparison]]: instant } }]),
  onDay: (property, day) => ({ [pathOf(property)]: { $regex: `^${literalPattern(day)}` } }),
}

export const segmentFilter = compileSegment(words)
