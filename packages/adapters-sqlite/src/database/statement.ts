/** A value that a statement takes in the place of a `?`. */
export type Parameter = string | number | bigint | null
/** What a query finds, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** SQL that a connection has prepared, to be run again and again. */
export type Statement = {
  readonly run: (...parameters: readonly Parameter[]) => { readonly changes: number | bigint }
  readonly get: (...parameters: readonly Parameter[]) => Row | undefined
  readonly all: (...parameters: readonly Parameter[]) => readonly Row[]
}
