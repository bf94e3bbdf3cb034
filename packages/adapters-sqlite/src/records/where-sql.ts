import { setImmediate as turn } from 'node:timers/promises'
import {
  isContainingText,
  isStorableText,
  type Page,
  type Scalar,
  type StoredRecord,
  type WhereValue,
} from '@posthorn/core/ports/storage'
import type { SqlParameter } from '../database/connection.js'
import type { ReadSqlRows } from '../database/readers.js'
import type { RecordMapping, SqlColumnsByField } from './record-table.js'

export type SqlFragment = { readonly text: string; readonly parameters: readonly SqlParameter[] }

export const sqlJoinedByAnd = (parts: readonly SqlFragment[]): SqlFragment => ({
  text: parts.length === 0 ? '1' : parts.map(({ text }) => text).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
})

/** The JSON path of nested fields. SQLite parses a quoted field as JSON does. */
export const jsonPath = (...fields: readonly string[]) =>
  `$${fields.map((field) => `.${JSON.stringify(field)}`).join('')}`

/** Only the first dot separates: `customFields.city`. */
export const fieldJsonPath = (key: string): string => {
  const dot = key.indexOf('.')
  return dot < 0 ? jsonPath(key) : jsonPath(key.slice(0, dot), key.slice(dot + 1))
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'

const within = (values: readonly Scalar[]): SqlParameter => JSON.stringify(values)
const listed = '(SELECT value FROM json_each(?))'

/** The value, or an element of its array. Objects' members have text keys, arrays' elements do not. */
const someInDocument = (path: string, text: string, parameters: readonly SqlParameter[]): SqlFragment => ({
  text: `EXISTS (SELECT 1 FROM json_each(doc, ?) WHERE typeof(key) <> 'text' AND ${text})`,
  parameters: [path, ...parameters],
})

const partInDocument = (path: string, text: string): SqlFragment =>
  // The driver would truncate such a text.
  isStorableText(text)
    ? someInDocument(path, `type = 'text' AND instr(lower_unicode(value), ?) > 0`, [text.toLowerCase()])
    : { text: '0', parameters: [] }

/** Or an array with one. Checks types: SQLite reads true as 1. */
const inDocument = (path: string, values: readonly Scalar[]): SqlFragment => {
  const [texts, numbers] = [values.filter(isText), values.filter(isNumber)]
  const literals = values.filter((value) => !isText(value) && !isNumber(value)).map(String)
  const kinds = [
    { wanted: texts, text: `type = 'text' AND value IN ${listed}` },
    { wanted: numbers, text: `type IN ('integer', 'real') AND value IN ${listed}` },
    { wanted: literals, text: `type IN ${listed}` },
  ].filter(({ wanted }) => wanted.length > 0)
  return someInDocument(
    path,
    `(${kinds.map(({ text }) => text).join(' OR ')})`,
    kinds.map(({ wanted }) => within(wanted)),
  )
}

const condition = (key: string, wanted: WhereValue, columns: SqlColumnsByField, byId: boolean): SqlFragment => {
  // Without `+`, the planner would scan a project for a few ids.
  const own = columns.get(key)
  const column = own && byId && key !== '_id' ? `+${own}` : own
  if (wanted === undefined) {
    const absent: SqlFragment = { text: 'json_type(doc, ?) IS NULL', parameters: [fieldJsonPath(key)] }
    return column ? sqlJoinedByAnd([{ text: `${column} IS NULL`, parameters: [] }, absent]) : absent
  }
  if (isContainingText(wanted)) return partInDocument(fieldJsonPath(key), wanted.containing)
  const given: readonly Scalar[] = typeof wanted === 'object' && wanted !== null ? wanted : [wanted]
  // The driver would truncate such a text and match others.
  const values = column ? given.filter((value) => !isText(value) || isStorableText(value)) : given
  if (values.length === 0) return { text: '0', parameters: [] }
  if (!column || !values.every(isText)) return inDocument(fieldJsonPath(key), values)
  return values.length === 1
    ? { text: `${column} = ?`, parameters: values }
    : { text: `${column} IN ${listed}`, parameters: [within(values)] }
}

/** Compiles a `Where`; values and paths are bound. @param byId whether another condition limits the ids */
export const whereSql = (
  where: object,
  columns: SqlColumnsByField,
  byId = '_id' in where && where._id !== undefined,
): SqlFragment => {
  return sqlJoinedByAnd(
    Object.entries(where).map(([key, wanted]) => condition(key, wanted as WhereValue, columns, byId)),
  )
}

/** By the field, then by `_id`. Absent values sort first. */
export const orderSql = (by: string, order: 'asc' | 'desc', columns: SqlColumnsByField): SqlFragment => {
  const direction = order === 'asc' ? 'ASC' : 'DESC'
  const column = columns.get(by)
  return column
    ? { text: `${column} ${direction}, _id ${direction}`, parameters: [] }
    : { text: `json_extract(doc, ?) ${direction}, _id ${direction}`, parameters: [fieldJsonPath(by)] }
}

/** In characters: others have their turn after a document of that size has been parsed. */
const largeDocument = 64 * 1024

export const readSqlPage = async <T extends StoredRecord>(
  read: ReadSqlRows,
  collection: string,
  { selected, recordOf }: Pick<RecordMapping<T>, 'selected' | 'recordOf'>,
  conditions: SqlFragment,
  order: SqlFragment,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<Page<T>> => {
  const fits = sqlJoinedByAnd([{ text: read.check, parameters: [] }, conditions])
  const [counted] = await read(`SELECT count(*) AS n FROM "${collection}" WHERE ${fits.text}`, ...fits.parameters)
  const count = Number(counted?.n)
  if (count <= skip) return { items: [], count }
  const ids = `SELECT _id FROM "${collection}" WHERE ${fits.text} ORDER BY ${order.text} LIMIT ? OFFSET ?`
  const rows = await read(
    `SELECT ${selected} FROM "${collection}" WHERE _id IN (${ids}) ORDER BY ${order.text}`,
    ...[...fits.parameters, ...order.parameters, limit, skip, ...order.parameters],
  )
  const items: T[] = []
  for (const row of rows) {
    items.push(recordOf(row))
    if (String(row.doc).length > largeDocument) await turn()
  }
  return { items, count }
}
