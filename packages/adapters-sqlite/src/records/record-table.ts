import type { Stored } from '@posthorn/core/ports/storage'
import type { Row } from '../database/connection.js'

/** Keys and indexes of a kind of records, as in the manifest. */
export type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse: readonly string[]
}

/** Fields with a column, because a key or an index names them; without `_id`, which always has one. */
export const columnsOf = ({ unique, index, sparse }: Keys): readonly string[] =>
  [...new Set([...[...unique, ...index].flat(), ...sparse])].filter((field) => field !== '_id')

/** Fields that contacts are sorted by in `segment_index`, with an index there or by a scan, so that `contacts` needs no index. */
const inColumns: Readonly<Record<string, readonly string[]>> = {
  contacts: ['lastReceiveDate', 'lastOpenDate', 'lastClickDate'],
}

/** Keys and indexes of the table of records, without those that `segment_index` replaces. */
export const keysOf = (table: string, { unique, index, sparse }: Keys): Keys => ({
  unique,
  index: index.filter((fields) => !inColumns[table]?.includes(fields.at(-1) ?? '')),
  sparse,
})

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
