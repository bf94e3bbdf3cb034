import { isStorableText, type Scalar, type WhereValue } from '@posthorn/core/ports'
import type { Parameter } from '../database/statement.js'
import type { Columns } from './record-form.js'

/** A condition, with what is bound to its question marks. */
export type Sql = { readonly text: string; readonly parameters: readonly Parameter[] }

export const both = (parts: readonly Sql[]): Sql => ({
  text: parts.length === 0 ? '1' : parts.map(({ text }) => text).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
})

/** Fields, each within the one before it, as a JSON path. SQLite reads a quoted field as JSON does. */
export const jsonPath = (...fields: readonly string[]) =>
  `$${fields.map((field) => `.${JSON.stringify(field)}`).join('')}`

/** `customFields.city`: one level into an object, whatever else the field's name holds. */
export const pathOf = (key: string): string => {
  const dot = key.indexOf('.')
  return dot < 0 ? jsonPath(key) : jsonPath(key.slice(0, dot), key.slice(dot + 1))
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'

const within = (values: readonly Scalar[]): Parameter => JSON.stringify(values)
const listed = '(SELECT value FROM json_each(?))'

/** A value that is one of these, or an array that contains one. Types count: to SQLite, true is 1. */
const inDocument = (path: string, values: readonly Scalar[]): Sql => {
  const [texts, numbers] = [values.filter(isText), values.filter(isNumber)]
  const literals = values.filter((value) => !isText(value) && !isNumber(value)).map(String)
  const kinds = [
    { wanted: texts, text: `type = 'text' AND value IN ${listed}` },
    { wanted: numbers, text: `type IN ('integer', 'real') AND value IN ${listed}` },
    { wanted: literals, text: `type IN ${listed}` },
  ].filter(({ wanted }) => wanted.length > 0)
  // The members of an object are no elements: they alone have texts for keys.
  return {
    text: `EXISTS (SELECT 1 FROM json_each(doc, ?) WHERE typeof(key) <> 'text' AND (${kinds.map(({ text }) => text).join(' OR ')}))`,
    parameters: [path, ...kinds.map(({ wanted }) => within(wanted))],
  }
}

const condition = (key: string, wanted: WhereValue, columns: Columns, byId: boolean): Sql => {
  // `+` hides a column from the planner, which knows no sizes and would walk a whole project to find some ids in it.
  const own = columns.get(key)
  const column = own && byId && key !== '_id' ? `+${own}` : own
  if (wanted === undefined) {
    const absent: Sql = { text: 'json_type(doc, ?) IS NULL', parameters: [pathOf(key)] }
    return column ? both([{ text: `${column} IS NULL`, parameters: [] }, absent]) : absent
  }
  const given: readonly Scalar[] = typeof wanted === 'object' && wanted !== null ? wanted : [wanted]
  // The driver would cut such a text short, and find what only begins like it.
  const values = column ? given.filter((value) => !isText(value) || isStorableText(value)) : given
  if (values.length === 0) return { text: '0', parameters: [] }
  if (!column || !values.every(isText)) return inDocument(pathOf(key), values)
  return values.length === 1
    ? { text: `${column} = ?`, parameters: values }
    : { text: `${column} IN ${listed}`, parameters: [within(values)] }
}

/**
 * The condition of a `Where`, by real columns where there are some; by `_id` alone where that is given. Values and paths are
 * always bound.
 * @param byId whether something else than the condition names the ids
 */
export const whereSql = (where: object, columns: Columns, byId = '_id' in where && where._id !== undefined): Sql => {
  return both(Object.entries(where).map(([key, wanted]) => condition(key, wanted as WhereValue, columns, byId)))
}
