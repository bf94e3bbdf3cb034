import type { SqliteDatabase } from '../database/sqlite-database.js'

/** What a query names of those to whom it may belong. */
type Named = { readonly accountId?: unknown; readonly projectId?: unknown; readonly subscriberListId?: unknown }

const ofProject = 'SELECT "accountId" AS account FROM projects WHERE _id = ?'
const ofList = `SELECT p."accountId" AS account FROM "subscriberLists" l JOIN projects p ON p._id = l."projectId" WHERE l._id = ?`

/**
 * The account to which the time of a query is charged, as one customer may have many projects: looked up by a key, some microseconds
 * beside the milliseconds that a reader thread needs. What names no known account is charged to what it names.
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
