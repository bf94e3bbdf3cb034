import type { DatabaseSync } from '@photostructure/sqlite'

export type Connection = InstanceType<typeof DatabaseSync>

export type Parameter = string | number | bigint | null
export type Row = Readonly<Record<string, unknown>>

export type Statement = {
  readonly run: (...parameters: readonly Parameter[]) => { readonly changes: number | bigint }
  readonly get: (...parameters: readonly Parameter[]) => Row | undefined
  readonly all: (...parameters: readonly Parameter[]) => readonly Row[]
}

export type RowChanges = (sql: string, ...parameters: readonly Parameter[]) => number

export const rowChanges =
  (statement: (sql: string) => Statement): RowChanges =>
  (sql, ...parameters) =>
    Number(statement(sql).run(...parameters).changes)
