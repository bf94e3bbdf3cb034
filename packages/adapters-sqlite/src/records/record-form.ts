import type { Stored } from '@posthorn/core/ports/storage'
import type { Row } from '../database/statement.js'
import { columnsOf, type Keys } from './record-keys.js'

/** The SQL of each field that has a real column. */
export type Columns = ReadonlyMap<string, string>

/** How a kind of records is stored in its table. */
export type RecordForm<T> = {
  /** The SELECT list that `recordOf` needs. */
  readonly selected: string
  readonly recordOf: (row: Row) => T
  readonly columns: Columns
}

export const recordOf = <T extends Stored>({ doc }: Row) => JSON.parse(String(doc)) as T

/** The form of records that are stored completely in their document. */
export const formOf = <T extends Stored>(keys: Keys): RecordForm<T> => ({
  selected: 'json(doc) AS doc',
  recordOf,
  columns: new Map(['_id', ...columnsOf(keys)].map((field) => [field, `"${field}"`])),
})
