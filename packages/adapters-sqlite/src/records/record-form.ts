import type { Stored } from '@posthorn/core/ports'
import type { Row } from '../database/statement.js'
import { columnsOf, type Keys } from './record-keys.js'

/** For each field that stands in a real column, the SQL of its value. */
export type Columns = ReadonlyMap<string, string>

/** How records of a kind stand in their table. */
export type RecordForm<T> = {
  /** What a query on it selects, for `recordOf`. */
  readonly selected: string
  readonly recordOf: (row: Row) => T
  readonly columns: Columns
}

export const recordOf = <T extends Stored>({ doc }: Row) => JSON.parse(String(doc)) as T

/** All of a record is in its document. */
export const formOf = <T extends Stored>(keys: Keys): RecordForm<T> => ({
  selected: 'json(doc) AS doc',
  recordOf,
  columns: new Map(['_id', ...columnsOf(keys)].map((field) => [field, `"${field}"`])),
})
