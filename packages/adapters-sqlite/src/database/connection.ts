import type { DatabaseSync } from '@photostructure/sqlite'
import { lowerUnicode } from './thread-connection.js'

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

/** Of SQLite (https://sqlite.org/rescode.html), without the extension. */
export const sqliteErrorCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined

/** The functions that statements of the main thread call. */
export const addSqlFunctions = (connection: SqliteConnection): void => {
  connection.function('lower_unicode', { deterministic: true }, lowerUnicode)
  // Only short reads run here, which need no time check.
  connection.function('in_time', () => 1)
}

export const inTransaction = <T>(connection: SqliteConnection, work: () => T): T => {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    connection.exec('COMMIT')
    return result
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
