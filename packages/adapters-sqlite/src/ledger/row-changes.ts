import type { Parameter, Statement } from '../database/statement.js'

/** Runs a statement and returns the number of changed rows. */
export type RowChanges = (sql: string, ...parameters: readonly Parameter[]) => number

export const rowChanges =
  (statement: (sql: string) => Statement): RowChanges =>
  (sql, ...parameters) =>
    Number(statement(sql).run(...parameters).changes)
