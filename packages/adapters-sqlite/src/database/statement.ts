/** A value bound to a `?` of a statement. */
export type Parameter = string | number | bigint | null
/** A row of a result, by column name. */
export type Row = Readonly<Record<string, unknown>>

export type Statement = {
  readonly run: (...parameters: readonly Parameter[]) => { readonly changes: number | bigint }
  readonly get: (...parameters: readonly Parameter[]) => Row | undefined
  readonly all: (...parameters: readonly Parameter[]) => readonly Row[]
}
