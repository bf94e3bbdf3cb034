/** Keys and indexes of a kind of records, as in the manifest. */
export type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse: readonly string[]
}

/** Fields with a column, because a key or an index names them; without `_id`, which always has one. */
export const columnsOf = ({ unique, index, sparse }: Keys): readonly string[] =>
  [...new Set([...[...unique, ...index].flat(), ...sparse])].filter((field) => field !== '_id')

/** Fields that contacts are sorted by in `contact_columns`, with an index there or by a scan, so that `contacts` needs no index. */
const inColumns: Readonly<Record<string, readonly string[]>> = {
  contacts: ['lastReceiveDate', 'lastOpenDate', 'lastClickDate'],
}

/** Keys and indexes of the table of records, without those that `contact_columns` replaces. */
export const keysOf = (table: string, { unique, index, sparse }: Keys): Keys => ({
  unique,
  index: index.filter((fields) => !inColumns[table]?.includes(fields.at(-1) ?? '')),
  sparse,
})
