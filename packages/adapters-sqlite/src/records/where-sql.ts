import { setImmediate as turn } from 'node:timers/promises'
import {
  isContainingText,
  isStorableText,
  type Page,
  type Scalar,
  type StoredRecord,
  type WhereValue,
} from '@posthorn/core/ports/storage'
import type { ReadSqlRows } from '../database/readers.js'
import { joinedSql, rawSql, type SqlFragment, sql, sqlJoinedByAnd } from '../database/sql.js'
import type { RecordMapping, SqlColumnsByField } from './record-table.js'

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

const listed = (values: readonly Scalar[]) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`

/** The value, or an element of its array. Objects' members have text keys, arrays' elements do not. */
const someInDocument = (path: string, fits: SqlFragment): SqlFragment =>
  sql`EXISTS (SELECT 1 FROM json_each(doc, ${path}) WHERE typeof(key) <> 'text' AND ${fits})`

const partInDocument = (path: string, text: string): SqlFragment =>
  // The driver would truncate such a text.
  isStorableText(text)
    ? someInDocument(path, sql`type = 'text' AND instr(lower_unicode(value), ${text.toLowerCase()}) > 0`)
    : rawSql('0')

/** Or an array with one. Checks types: SQLite reads true as 1. */
const inDocument = (path: string, values: readonly Scalar[]): SqlFragment => {
  const [texts, numbers] = [values.filter(isText), values.filter(isNumber)]
  const literals = values.filter((value) => !isText(value) && !isNumber(value)).map(String)
  const kinds = [
    ...(texts.length > 0 ? [sql`type = 'text' AND value IN ${listed(texts)}`] : []),
    ...(numbers.length > 0 ? [sql`type IN ('integer', 'real') AND value IN ${listed(numbers)}`] : []),
    ...(literals.length > 0 ? [sql`type IN ${listed(literals)}`] : []),
  ]
  return someInDocument(path, sql`(${joinedSql(kinds, ' OR ')})`)
}

const condition = (key: string, wanted: WhereValue, columns: SqlColumnsByField, byId: boolean): SqlFragment => {
  // Without `+`, the planner would scan a project for a few ids.
  const own = columns.get(key)
  const column = own && byId && key !== '_id' ? `+${own}` : own
  if (wanted === undefined) {
    const absent = sql`json_type(doc, ${fieldJsonPath(key)}) IS NULL`
    return column ? sql`${rawSql(column)} IS NULL AND ${absent}` : absent
  }
  if (isContainingText(wanted)) return partInDocument(fieldJsonPath(key), wanted.containing)
  const given: readonly Scalar[] = typeof wanted === 'object' && wanted !== null ? wanted : [wanted]
  // The driver would truncate such a text and match others.
  const values = column ? given.filter((value) => !isText(value) || isStorableText(value)) : given
  if (values.length === 0) return rawSql('0')
  if (!column || !values.every(isText)) return inDocument(fieldJsonPath(key), values)
  return values.length === 1
    ? { text: `${column} = ?`, parameters: values }
    : sql`${rawSql(column)} IN ${listed(values)}`
}

/** Compiles a `Where`; values and paths are bound. @param byId whether another condition limits the ids */
export const whereSql = (
  where: object,
  columns: SqlColumnsByField,
  byId = '_id' in where && where._id !== undefined,
): SqlFragment =>
  sqlJoinedByAnd(Object.entries(where).map(([key, wanted]) => condition(key, wanted as WhereValue, columns, byId)))

/** By the field, then by `_id`. Absent values sort first. */
export const orderSql = (by: string, order: 'asc' | 'desc', columns: SqlColumnsByField): SqlFragment => {
  const direction = rawSql(order)
  const column = columns.get(by)
  return sql`${column ? rawSql(column) : sql`json_extract(doc, ${fieldJsonPath(by)})`} ${direction}, _id ${direction}`
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
  const fitting = sql`FROM ${rawSql(`"${collection}"`)} WHERE ${read.check} AND ${conditions}`
  const [counted] = await read(sql`SELECT count(*) AS n ${fitting}`)
  const count = Number(counted?.n)
  if (count <= skip) return { items: [], count }
  const ids = sql`SELECT _id ${fitting} ORDER BY ${order} LIMIT ${limit} OFFSET ${skip}`
  const rows = await read(
    sql`SELECT ${rawSql(selected)} FROM ${rawSql(`"${collection}"`)} WHERE _id IN (${ids}) ORDER BY ${order}`,
  )
  const items: T[] = []
  for (const row of rows) {
    items.push(recordOf(row))
    if (String(row.doc).length > largeDocument) await turn()
  }
  return { items, count }
}
