/** Of one kind of records, as the manifest has them. */
export type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse: readonly string[]
}

/** Fields that have a column of their own, because a key or an index names them. `_id` has one anyway. */
export const columnsOf = ({ unique, index, sparse }: Keys): readonly string[] =>
  [...new Set([...[...unique, ...index].flat(), ...sparse])].filter((field) => field !== '_id')

/** Fields that contacts are ordered by on `contact_columns`: in an index of those that have one, or by passing over the short rows. */
const inColumns: Readonly<Record<string, readonly string[]>> = {
  contacts: ['lastReceiveDate', 'lastOpenDate', 'lastClickDate'],
}

/** The keys and indexes that the table of records has itself. */
export const keysOf = (table: string, { unique, index, sparse }: Keys): Keys => ({
  unique,
  index: index.filter((fields) => !inColumns[table]?.includes(fields.at(-1) ?? '')),
  sparse,
})
