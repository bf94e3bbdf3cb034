import type { Scalar, Where, WhereValue } from '@posthorn/core'
import type { Parameter } from './sqlite-database.js'

export type Sql = { readonly text: string; readonly parameters: readonly Parameter[] }

export const both = (parts: readonly Sql[]): Sql => ({
  text: parts.length === 0 ? '1' : parts.map(({ text }) => text).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
})

/** `customFields.city` as a JSON path: every part quoted, so that no field name is read as anything else. */
export const jsonPath = (path: string) =>
  `$${path
    .split('.')
    .map((part) => `."${part.replaceAll('"', '')}"`)
    .join('')}`

const isText = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'

const typesOf = (value: string | number) => (typeof value === 'string' ? "('text')" : "('integer', 'real')")

/** A field without a column: a value equals it, or is contained where it is an array. */
const byJson = (path: string, wanted: Scalar | undefined): Sql => {
  const at = jsonPath(path)
  if (wanted === undefined) return { text: 'json_type(doc, ?) IS NULL', parameters: [at] }
  if (wanted === null || typeof wanted === 'boolean') {
    const type = String(wanted)
    return {
      text: `(json_type(doc, ?) = ? OR (json_type(doc, ?) = 'array' AND EXISTS (SELECT 1 FROM json_each(doc, ?) WHERE type = ?)))`,
      parameters: [at, type, at, at, type],
    }
  }
  const types = typesOf(wanted)
  return {
    text: `((json_type(doc, ?) IN ${types} AND json_extract(doc, ?) = ?) OR (json_type(doc, ?) = 'array' AND EXISTS (SELECT 1 FROM json_each(doc, ?) WHERE type IN ${types} AND value = ?)))`,
    parameters: [at, at, wanted, at, at, wanted],
  }
}

/** A look-up by `_id` goes by `_id`: `+` keeps the planner from walking an index of the other fields. */
const columnOf = (path: string, byId: boolean) => (byId && path !== '_id' ? `+"${path}"` : `"${path}"`)

const condition = (path: string, wanted: WhereValue, columns: ReadonlySet<string>, byId: boolean): Sql => {
  if (Array.isArray(wanted)) {
    const values = wanted as readonly Scalar[]
    if (values.length === 0) return { text: '0', parameters: [] }
    if (columns.has(path) && values.every(isText))
      return {
        text: `${columnOf(path, byId)} IN (SELECT value FROM json_each(?))`,
        parameters: [JSON.stringify(values)],
      }
    const any = values.map((value) => byJson(path, value))
    return {
      text: `(${any.map(({ text }) => text).join(' OR ')})`,
      parameters: any.flatMap(({ parameters }) => parameters),
    }
  }
  const value = wanted as Scalar | undefined
  return columns.has(path) && isText(value)
    ? { text: `${columnOf(path, byId)} = ?`, parameters: [value] }
    : byJson(path, value)
}

/** The condition of a `Where`, by real columns where there are some. Values and paths are always bound. */
export const whereSql = (where: Where<never>, columns: ReadonlySet<string>): Sql => {
  const fields = Object.entries(where as Readonly<Record<string, WhereValue>>)
  const byId = fields.some(([path, wanted]) => path === '_id' && wanted !== undefined)
  return both(fields.map(([path, wanted]) => condition(path, wanted, columns, byId)))
}
