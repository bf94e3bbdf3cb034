import type { SqliteDatabase } from '../database/sqlite-database.js'

/** The fields of a query that identify its account. */
type Named = { readonly accountId?: unknown; readonly projectId?: unknown; readonly subscriberListId?: unknown }

const ofProject = 'SELECT "accountId" AS account FROM projects WHERE _id = ?'
const ofList = `SELECT p."accountId" AS account FROM "subscriberLists" l JOIN projects p ON p._id = l."projectId" WHERE l._id = ?`

/**
 * Finds the account that is charged for a query's time, because one account may have many projects. The look-up by key takes
 * microseconds. A query without a known account is charged to the id that it names.
 */
export const accountOwner =
  ({ statement }: Pick<SqliteDatabase, 'statement'>) =>
  ({ accountId, projectId, subscriberListId }: Named): string | undefined => {
    const accountBy = (sql: string, id: string): string => {
      const account = statement(sql).get(id)?.account
      return typeof account === 'string' ? account : id
    }
    if (typeof accountId === 'string') return accountId
    if (typeof projectId === 'string') return accountBy(ofProject, projectId)
    return typeof subscriberListId === 'string' ? accountBy(ofList, subscriberListId) : undefined
  }
