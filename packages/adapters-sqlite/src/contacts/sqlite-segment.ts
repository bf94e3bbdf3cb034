import {
  compileSegment,
  engagementDates,
  isBuiltInProperty,
  type ResolvedGroups,
  type SegmentOperators,
} from '@posthorn/core/ports/storage'
import { contactForm } from '../columns/contact-form.js'
import type { Parameter } from '../database/statement.js'
import { both, jsonPath, type Sql } from '../records/sqlite-where.js'

const sql = (text: string, ...parameters: readonly Parameter[]): Sql => ({ text, parameters })

/** The property's path in the contact's document. */
const pathOf = (property: string) =>
  isBuiltInProperty(property) ? jsonPath(property) : jsonPath('customFields', property)

/** Text in lower case, as `matches` compares it; NULL for other types. */
const inLowerCase = 'lower_unicode(json_extract(doc, ?))'

/** Checks the type, because SQLite reads true and false as 1 and 0. */
const compared = (property: string, comparison: string, given: number): Sql => {
  const path = pathOf(property)
  return sql(
    `(json_extract(doc, ?) ${comparison} ? AND json_type(doc, ?) IN ('integer', 'real'))`,
    ...[path, given, path],
  )
}

/** Conditions on a row of `contacts`. */
export const documentWords: SegmentOperators<Sql> = {
  always: sql('1'),
  never: sql('0'),
  not: ({ text, parameters }) => sql(`CASE WHEN ${text} THEN 0 ELSE 1 END`, ...parameters),
  all: both,
  any: (several) =>
    sql(
      `(${several.map(({ text }) => `(${text})`).join(' OR ') || '0'})`,
      ...several.flatMap(({ parameters }) => parameters),
    ),

  equal: (property, given) => {
    if (typeof given === 'string') return sql(`(${inLowerCase} = ?)`, pathOf(property), given)
    if (typeof given === 'number') return compared(property, '=', given)
    return sql('(json_type(doc, ?) = ?)', pathOf(property), String(given))
  },
  containing: (property, text) => sql(`(instr(${inLowerCase}, ?) > 0)`, pathOf(property), text),
  compared,
  empty: (property) => sql(`(coalesce(json_extract(doc, ?), '') = '')`, pathOf(property)),
  isTrue: (property) => sql(`(json_type(doc, ?) = 'true')`, pathOf(property)),
  tagged: (tag) => sql(`EXISTS (SELECT 1 FROM json_each(doc, '$.tags') WHERE value = ?)`, tag),
  engaged: (how, since) => {
    const column = contactForm.columns.get(engagementDates[how])
    return since === undefined ? sql(`(${column} IS NOT NULL)`) : sql(`(${column} >= ?)`, since)
  },
  /** Dates are texts that sort chronologically. Other texts remain from before the field's type was changed. */
  dated: (property, comparison, instant) => {
    const path = pathOf(property)
    return sql(
      `(json_extract(doc, ?) ${comparison} ? AND json_type(doc, ?) = 'text' AND json_extract(doc, ?) <> '')`,
      ...[path, instant, path, path],
    )
  },
  onDay: (property, day) => sql(`(substr(json_extract(doc, ?), 1, 10) = ?)`, pathOf(property), day),
}

const condition = compileSegment(documentWords)

/**
 * `matches(groups, contact, now)` as a condition on a row of `contacts`: 1 or 0, never NULL. It is a CASE, because SQLite short-circuits
 * AND only in conditions, not in values.
 */
export const segmentSql = (groups: ResolvedGroups, now: Date): Sql => {
  const { text, parameters } = condition(groups, now)
  return sql(`CASE WHEN ${text} THEN 1 ELSE 0 END`, ...parameters)
}
