import type { StoredRecord } from '@posthorn/core/ports/storage'
import type { SqlRow } from '../database/connection.js'

export type RecordTableKeys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse: readonly string[]
}

export const keyColumnsOf = ({ unique, index, sparse }: RecordTableKeys): readonly string[] =>
  [...new Set([...[...unique, ...index].flat(), ...sparse])].filter((field) => field !== '_id')

/** `segment_index` sorts contacts by these fields. */
const inColumns: Readonly<Record<string, readonly string[]>> = {
  contacts: ['lastReceiveDate', 'lastOpenDate', 'lastClickDate'],
}

/** Omits indexes that `segment_index` replaces. */
export const tableKeysOf = (table: string, { unique, index, sparse }: RecordTableKeys): RecordTableKeys => ({
  unique,
  index: index.filter((fields) => !inColumns[table]?.includes(fields.at(-1) ?? '')),
  sparse,
})

export type SqlColumnsByField = ReadonlyMap<string, string>

export type RecordMapping<T> = {
  readonly selected: string
  readonly recordOf: (row: SqlRow) => T
  readonly columns: SqlColumnsByField
}

export const recordOfRow = <T extends StoredRecord>({ doc }: SqlRow) => JSON.parse(String(doc)) as T

/** For records stored completely in their document. */
export const documentRecordMapping = <T extends StoredRecord>(keys: RecordTableKeys): RecordMapping<T> => ({
  selected: 'json(doc) AS doc',
  recordOf: recordOfRow,
  columns: new Map(['_id', ...keyColumnsOf(keys)].map((field) => [field, `"${field}"`])),
})
