import type { DatabaseSync } from '@photostructure/sqlite'

export type SqliteConnection = InstanceType<typeof DatabaseSync>

export type SqlParameter = string | number | bigint | null
export type SqlRow = Readonly<Record<string, unknown>>

export type PreparedStatement = {
  readonly run: (...parameters: readonly SqlParameter[]) => { readonly changes: number | bigint }
  readonly get: (...parameters: readonly SqlParameter[]) => SqlRow | undefined
  readonly all: (...parameters: readonly SqlParameter[]) => readonly SqlRow[]
}

export type RunStatement = (sql: string, ...parameters: readonly SqlParameter[]) => number

export const statementRunner =
  (statement: (sql: string) => PreparedStatement): RunStatement =>
  (sql, ...parameters) =>
    Number(statement(sql).run(...parameters).changes)
