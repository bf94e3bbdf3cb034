import type { Contact, FieldValue } from '@posthorn/core/ports/storage'
import type { Parameter } from '../database/statement.js'

/** Custom fields of a project that get a column. Conditions on further fields read the documents. */
export const slots = 20

/** Length limits of column values, in characters, to keep the table narrow. Longer values are read from the document. */
const longestText = 60
const longestTags = 200

/** Values other than ordinary texts begin with U+0001, so that they sort between the empty text and all other texts. */
const special = '\u0001'
const date = `${special}d`

/** Marks a value that must be read from the document. */
export const inDocument = `${special}?`
/** The lowest first character of an ordinary text; only the empty text sorts below it. */
export const ordinary = '\u0002'
export const truth = (value: boolean) => `${special}${value ? 't' : 'f'}`

const instant = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d\.\d{3}z$/

/** The column value of an instant, or of its beginning. Dates sort between `dates.from` and `dates.to`, chronologically. */
export const dateValue = (text: string) => `${date}${text.toLowerCase()}`
export const dates = { from: date, to: `${special}e` }

/** The column value of a text: in lower case, instants as dates. `inDocument` if it is too long or begins like a special value. */
export const textValue = (text: string): string => {
  const folded = text.toLowerCase()
  if (folded.length > longestText || (folded !== '' && folded < ordinary)) return inDocument
  return instant.test(folded) ? dateValue(folded) : folded
}

export const columnValue = (value: FieldValue | undefined): Parameter => {
  if (typeof value === 'string') return textValue(value)
  if (typeof value === 'boolean') return truth(value)
  if (value === undefined) return null
  // The driver binds numbers as REAL; an INTEGER takes fewer bytes.
  return Number.isSafeInteger(value) ? BigInt(value) : value
}

/** A tag as part of `tagsValue`; undefined if the tag contains the separator. */
export const tagValue = (tag: string): string | undefined => (tag.includes('|') ? undefined : `|${tag}|`)

/** The tags as one text, or null without tags; `inDocument` if the text is too long or a tag contains the separator. */
export const tagsValue = (tags: Contact['tags']): Parameter => {
  if (tags.length === 0) return null
  const joined = `|${tags.join('|')}|`
  return joined.length > longestTags || tags.some((tag) => tag.includes('|')) ? inDocument : joined
}
