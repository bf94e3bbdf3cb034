import type { Contact, FieldValue } from '@posthorn/core/ports'
import type { Parameter } from '../database/statement.js'

/** How many custom fields of a project have a column each; conditions on others are asked of the documents. */
export const slots = 20

/** Longer ones would make the table wide: these are asked of the document. */
const longestText = 60
const longestTags = 200

/** What is no ordinary text begins with U+0001, so that all of it lies between the empty text and the first that can be one. */
const special = '\u0001'
const date = `${special}d`

/** Marks a value that only the document has. */
export const inDocument = `${special}?`
/** The first that an ordinary text can begin with; only the empty one lies below. */
export const ordinary = '\u0002'
export const truth = (value: boolean) => `${special}${value ? 't' : 'f'}`

const instant = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d\.\d{3}z$/

/** An instant, or the beginning of one, as a column has it. Dates lie between `dates.from` and `dates.to`, in their order. */
export const dateValue = (text: string) => `${date}${text.toLowerCase()}`
export const dates = { from: date, to: `${special}e` }

/** A text as it is looked for: in lower case, and what is an instant as one. `inDocument` where it is too long, or like a mark. */
export const textValue = (text: string): string => {
  const folded = text.toLowerCase()
  if (folded.length > longestText || (folded !== '' && folded < ordinary)) return inDocument
  return instant.test(folded) ? dateValue(folded) : folded
}

/** A custom field's value as its column has it. */
export const columnValue = (value: FieldValue | undefined): Parameter => {
  if (typeof value === 'string') return textValue(value)
  if (typeof value === 'boolean') return truth(value)
  if (value === undefined) return null
  // Kept in fewer bytes than the driver gives a number.
  return Number.isSafeInteger(value) ? BigInt(value) : value
}

/** How a tag stands among the others; undefined where it cannot be told from two. */
export const tagValue = (tag: string): string | undefined => (tag.includes('|') ? undefined : `|${tag}|`)

/** The tags as one text, none as none; `inDocument` where they would be too long, or could be mistaken for others. */
export const tagsValue = (tags: Contact['tags']): Parameter => {
  if (tags.length === 0) return null
  const joined = `|${tags.join('|')}|`
  return joined.length > longestTags || tags.some((tag) => tag.includes('|')) ? inDocument : joined
}
