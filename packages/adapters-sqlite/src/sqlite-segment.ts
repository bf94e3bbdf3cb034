import {
  type Condition,
  daysBefore,
  engagementDates,
  engagementOperators,
  type FieldValue,
  type Groups,
  instantOfValue,
  isBuiltInProperty,
} from '@posthorn/core'
import type { Parameter } from './sqlite-database.js'
import { both, jsonPath, type Sql } from './sqlite-where.js'

const sql = (text: string, ...parameters: readonly Parameter[]): Sql => ({ text, parameters })
const never = sql('0')
const always = sql('1')
/** The opposite, where "unknown" counts as "no". */
const not = ({ text, parameters }: Sql): Sql => sql(`CASE WHEN ${text} THEN 0 ELSE 1 END`, ...parameters)

type Given = FieldValue | undefined
type Comparison = '=' | '>' | '>=' | '<' | '<='

/** Where the property stands in the contact's document. */
const pathOf = (property: string) =>
  isBuiltInProperty(property) ? jsonPath(property) : jsonPath('customFields', property)

/** Text as `matches` reads it: nothing but text has a lower case. */
const inLowerCase = 'lower_unicode(json_extract(c.doc, ?))'

const equal = (property: string, given: Given): Sql => {
  const path = pathOf(property)
  if (typeof given === 'string') return sql(`(${inLowerCase} = ?)`, path, given.toLowerCase())
  if (typeof given === 'number') return compared(property, '=', given)
  return given === undefined ? never : sql('(json_type(c.doc, ?) = ?)', path, String(given))
}

const containing = (property: string, given: Given): Sql =>
  typeof given === 'string' ? sql(`(instr(${inLowerCase}, ?) > 0)`, pathOf(property), given.toLowerCase()) : never

/** Numbers alone have an order; true and false are none, though SQLite reads them as 1 and 0. */
const compared = (property: string, comparison: Comparison, given: Given): Sql => {
  const path = pathOf(property)
  return typeof given === 'number'
    ? sql(`(json_extract(c.doc, ?) ${comparison} ? AND json_type(c.doc, ?) IN ('integer', 'real'))`, path, given, path)
    : never
}

const empty = (property: string): Sql => sql(`(coalesce(json_extract(c.doc, ?), '') = '')`, pathOf(property))

const isTrue = (property: string): Sql => sql(`(json_type(c.doc, ?) = 'true')`, pathOf(property))

const tagged = (given: Given): Sql =>
  typeof given === 'string'
    ? sql(`EXISTS (SELECT 1 FROM json_each(c.doc, '$.tags') WHERE value = ?)`, given.toLowerCase())
    : never

const engaged = (operator: keyof typeof engagementDates, days: Given, now: Date): Sql => {
  const column = `c."${engagementDates[operator]}"`
  return typeof days === 'number' ? sql(`(${column} >= ?)`, daysBefore(now, days)) : sql(`(${column} IS NOT NULL)`)
}

/** Dates are texts that compare as they are stored. Whatever else is text has been one, before its field changed. */
const dated = (property: string, comparison: Comparison, instant: string | undefined): Sql => {
  const path = pathOf(property)
  return instant === undefined
    ? never
    : sql(
        `(json_extract(c.doc, ?) ${comparison} ? AND json_type(c.doc, ?) = 'text' AND json_extract(c.doc, ?) <> '')`,
        ...[path, instant, path, path],
      )
}

const onDay = (property: string, given: Given): Sql => {
  const instant = instantOfValue(given)
  return instant === undefined
    ? never
    : sql(`(substr(json_extract(c.doc, ?), 1, 10) = ?)`, pathOf(property), instant.slice(0, 10))
}

const ago = (days: Given, now: Date) => (typeof days === 'number' ? daysBefore(now, days) : undefined)

const conditionSql = ({ operator, property = '', value }: Condition, now: Date): Sql => {
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
      return compared(property, '>', value)
    case 'greater-than-or-equal':
      return compared(property, '>=', value)
    case 'less-than':
      return compared(property, '<', value)
    case 'less-than-or-equal':
      return compared(property, '<=', value)
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
      return dated(property, '<', instantOfValue(value))
    case 'date-after':
      return dated(property, '>', instantOfValue(value))
    case 'date-in-last':
      return both([dated(property, '>=', ago(value, now)), dated(property, '<=', now.toISOString())])
    case 'date-more-than':
      return dated(property, '<', ago(value, now))
  }
}

const isEngagement = ({ operator }: Condition) => (engagementOperators as readonly string[]).includes(operator)

/** Engagement first: it is asked of columns, and spares many a look into the document. */
const byCost = (a: Condition, b: Condition) => Number(isEngagement(b)) - Number(isEngagement(a))

/**
 * The meaning of `matches(groups, contact, now)` as a condition on a contact `c`: 1 or 0, never unknown. It is a CASE because in
 * the value of an expression, other than in a condition, SQLite works out both sides of every AND.
 */
export const segmentSql = (groups: Groups, now: Date): Sql => {
  const alternatives = groups.map(({ conditions }) =>
    both(conditions.toSorted(byCost).map((condition) => conditionSql(condition, now))),
  )
  const text = alternatives.map((one) => `(${one.text})`).join(' OR ') || '0'
  return sql(`CASE WHEN ${text} THEN 1 ELSE 0 END`, ...alternatives.flatMap(({ parameters }) => parameters))
}
