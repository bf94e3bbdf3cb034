import type { Page, Stored } from '@posthorn/core/ports/storage'
import type { Read } from '../database/readers.js'
import type { Columns, RecordForm } from './record-form.js'
import { both, pathOf, type Sql } from './sqlite-where.js'

/** Orders by a field, then by `_id`. Absent values come first in ascending order, as SQLite sorts NULL. */
export const orderSql = (by: string, order: 'asc' | 'desc', columns: Columns): Sql => {
  const direction = order === 'asc' ? 'ASC' : 'DESC'
  const column = columns.get(by)
  return column
    ? { text: `${column} ${direction}, _id ${direction}`, parameters: [] }
    : { text: `json_extract(doc, ?) ${direction}, _id ${direction}`, parameters: [pathOf(by)] }
}

/** A page of the matching records, and their number. Reads only the documents of the page. */
export const pageOf = async <T extends Stored>(
  read: Read,
  collection: string,
  { selected, recordOf }: Pick<RecordForm<T>, 'selected' | 'recordOf'>,
  conditions: Sql,
  order: Sql,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<Page<T>> => {
  const fits = both([{ text: read.check, parameters: [] }, conditions])
  const [counted] = await read(`SELECT count(*) AS n FROM "${collection}" WHERE ${fits.text}`, ...fits.parameters)
  const count = Number(counted?.n)
  if (count <= skip) return { items: [], count }
  const ids = `SELECT _id FROM "${collection}" WHERE ${fits.text} ORDER BY ${order.text} LIMIT ? OFFSET ?`
  const rows = await read(
    `SELECT ${selected} FROM "${collection}" WHERE _id IN (${ids}) ORDER BY ${order.text}`,
    ...[...fits.parameters, ...order.parameters, limit, skip, ...order.parameters],
  )
  return { items: rows.map(recordOf), count }
}
