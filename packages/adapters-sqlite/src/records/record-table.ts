import type { StoredRecord } from '@posthorn/core/ports/storage'
import type { SqlRow } from '../database/connection.js'

export type RecordTableKeys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse: readonly string[]
}

/** Fields of keys and indexes, which have a column; without `_id`. */
export const keyColumnsOf = ({ unique, index, sparse }: RecordTableKeys): readonly string[] =>
  [...new Set([...[...unique, ...index].flat(), ...sparse])].filter((field) => field !== '_id')

/** Contacts are sorted by these fields in `segment_index`. */
const inColumns: Readonly<Record<string, readonly string[]>> = {
  contacts: ['lastReceiveDate', 'lastOpenDate', 'lastClickDate'],
}

/** Keys and indexes of the table of records, without those that `segment_index` replaces. */
export const tableKeysOf = (table: string, { unique, index, sparse }: RecordTableKeys): RecordTableKeys => ({
  unique,
  index: index.filter((fields) => !inColumns[table]?.includes(fields.at(-1) ?? '')),
  sparse,
})

export type SqlColumnsByField = ReadonlyMap<string, string>

/** How a kind of records is stored in its table. */
export type RecordMapping<T> = {
  readonly selected: string
  readonly recordOf: (row: SqlRow) => T
  readonly columns: SqlColumnsByField
}

export const recordOfRow = <T extends StoredRecord>({ doc }: SqlRow) => JSON.parse(String(doc)) as T

/** The form of records that are stored completely in their document. */
export const documentMappingOf = <T extends StoredRecord>(keys: RecordTableKeys): RecordMapping<T> => ({
  selected: 'json(doc) AS doc',
  recordOf: recordOfRow,
  columns: new Map(['_id', ...keyColumnsOf(keys)].map((field) => [field, `"${field}"`])),
})
