import type { Stored } from '@posthorn/core/ports/storage'
import type { Row } from '../database/connection.js'

export type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse: readonly string[]
}

/** Fields of keys and indexes, which have a column; without `_id`. */
export const columnsOf = ({ unique, index, sparse }: Keys): readonly string[] =>
  [...new Set([...[...unique, ...index].flat(), ...sparse])].filter((field) => field !== '_id')

/** Contacts are sorted by these fields in `segment_index`. */
const inColumns: Readonly<Record<string, readonly string[]>> = {
  contacts: ['lastReceiveDate', 'lastOpenDate', 'lastClickDate'],
}

/** Keys and indexes of the table of records, without those that `segment_index` replaces. */
export const keysOf = (table: string, { unique, index, sparse }: Keys): Keys => ({
  unique,
  index: index.filter((fields) => !inColumns[table]?.includes(fields.at(-1) ?? '')),
  sparse,
})

export type Columns = ReadonlyMap<string, string>

/** How a kind of records is stored in its table. */
export type RecordForm<T> = {
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
