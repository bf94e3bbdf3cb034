import {
  type Condition,
  daysBefore,
  engagementDates,
  type FieldValue,
  type Groups,
  instantOfValue,
} from '@posthorn/core'
import type { Parameter } from './sqlite-database.js'
import { jsonPath, type Sql } from './sqlite-where.js'

const never: Sql = { text: '0', parameters: [] }
const always: Sql = { text: '1', parameters: [] }
const sql = (text: string, ...parameters: readonly Parameter[]): Sql => ({ text, parameters })
/** The opposite, where "unknown" counts as "no". */
const not = ({ text, parameters }: Sql): Sql => ({ text: `NOT coalesce((${text}), 0)`, parameters })

const builtIn = new Set(['email', 'name', 'createdAt'])

/** Where the property stands in the contact's document. */
const pathOf = (property: string) =>
  builtIn.has(property) ? jsonPath(property) : `$."customFields".${jsonPath(property.replaceAll('.', ' ')).slice(2)}`

type Comparison = '=' | '>' | '>=' | '<' | '<='

/** Compares as `matches` does: only values of the same type, texts in lower case. */
const compared = (property: string | undefined, comparison: Comparison, given: FieldValue | undefined): Sql => {
  if (property === undefined || given === undefined) return never
  const path = pathOf(property)
  if (typeof given === 'string')
    return sql(
      `json_type(c.doc, ?) = 'text' AND lower_unicode(json_extract(c.doc, ?)) ${comparison} ?`,
      path,
      path,
      given.toLowerCase(),
    )
  if (typeof given === 'number')
    return sql(
      `json_type(c.doc, ?) IN ('integer', 'real') AND json_extract(c.doc, ?) ${comparison} ?`,
      path,
      path,
      given,
    )
  return sql(
    `json_type(c.doc, ?) IN ('true', 'false') AND json_extract(c.doc, ?) ${comparison} ?`,
    path,
    path,
    Number(given),
  )
}

const dateCompared = (property: string | undefined, comparison: Comparison, instant: string | undefined): Sql => {
  if (property === undefined || instant === undefined) return never
  const { text, parameters } = compared(property, comparison, instant)
  return sql(`${text} AND json_extract(c.doc, ?) <> ''`, ...parameters, pathOf(property))
}

const containing = (property: string | undefined, given: FieldValue | undefined): Sql => {
  if (property === undefined || typeof given !== 'string') return never
  const path = pathOf(property)
  return sql(
    `json_type(c.doc, ?) = 'text' AND instr(lower_unicode(json_extract(c.doc, ?)), ?) > 0`,
    path,
    path,
    given.toLowerCase(),
  )
}

const empty = (property: string | undefined): Sql =>
  property === undefined
    ? always
    : sql(`json_type(c.doc, ?) IS NULL OR json_extract(c.doc, ?) = ''`, pathOf(property), pathOf(property))

const isTrue = (property: string | undefined): Sql =>
  property === undefined ? never : sql(`json_type(c.doc, ?) = 'true'`, pathOf(property))

const tagged = (given: FieldValue | undefined): Sql =>
  typeof given === 'string'
    ? sql(`EXISTS (SELECT 1 FROM json_each(c.doc, '$.tags') WHERE value = ?)`, given.toLowerCase())
    : never

const engaged = (operator: keyof typeof engagementDates, days: FieldValue | undefined, now: Date): Sql => {
  const column = `c."${engagementDates[operator]}"`
  return typeof days === 'number' ? sql(`${column} >= ?`, daysBefore(now, days)) : sql(`${column} IS NOT NULL`)
}

const onDay = (property: string | undefined, given: FieldValue | undefined): Sql => {
  const instant = instantOfValue(given)
  if (property === undefined || instant === undefined) return never
  const path = pathOf(property)
  return sql(
    `json_type(c.doc, ?) = 'text' AND substr(json_extract(c.doc, ?), 1, 10) = ?`,
    path,
    path,
    instant.slice(0, 10),
  )
}

const since = (property: string | undefined, comparison: Comparison, days: FieldValue | undefined, now: Date): Sql =>
  typeof days === 'number' ? dateCompared(property, comparison, daysBefore(now, days)) : never

const conditionSql = ({ operator, property, value }: Condition, now: Date): Sql => {
  switch (operator) {
    case 'any':
      return always
    case 'equals':
      return compared(property, '=', value)
    case 'does-not-equal':
      return not(compared(property, '=', value))
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
      return dateCompared(property, '<', instantOfValue(value))
    case 'date-after':
      return dateCompared(property, '>', instantOfValue(value))
    case 'date-in-last': {
      const after = since(property, '>=', value, now)
      const before =
        property === undefined ? never : sql('json_extract(c.doc, ?) <= ?', pathOf(property), now.toISOString())
      return sql(`(${after.text}) AND ${before.text}`, ...after.parameters, ...before.parameters)
    }
    case 'date-more-than':
      return since(property, '<', value, now)
  }
}

/** The meaning of `matches(groups, contact, now)` as a condition on a contact `c`: 1 or 0, never unknown. */
export const segmentSql = (groups: Groups, now: Date): Sql => {
  const alternatives = groups.map(({ conditions }) => {
    const all = conditions.map((condition) => conditionSql(condition, now))
    return all.length === 0
      ? always
      : sql(all.map(({ text }) => `(${text})`).join(' AND '), ...all.flatMap(({ parameters }) => parameters))
  })
  if (alternatives.length === 0) return never
  return sql(
    `coalesce((${alternatives.map(({ text }) => `(${text})`).join(' OR ')}), 0)`,
    ...alternatives.flatMap(({ parameters }) => parameters),
  )
}
