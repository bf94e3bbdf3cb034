import type { SqlParameter } from '../database/connection.js'
import type { ReadSqlRows } from '../database/readers.js'
import { rawSql, type SqlFragment } from '../database/sql.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'

type Named = { readonly accountId?: unknown; readonly projectId?: unknown; readonly subscriberListId?: unknown }

const ofProject = 'SELECT "accountId" AS account FROM projects WHERE _id = ?'
const ofList = `SELECT p."accountId" AS account FROM "subscriberLists" l JOIN projects p ON p._id = l."projectId" WHERE l._id = ?`

/** The account is charged, as it may have many projects; otherwise the query's id. */
export const queryAccountLookup =
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

/** Rows that a query may examine on the main thread. */
export const mostMainThreadQueryRows = 500
/** Entries that a page may skip on the main thread. */
const shortSkip = 1_000

/**
 * Their records may have large documents. Even their lengths cannot be told without reading them: in a table WITHOUT ROWID, each
 * comparison of a lookup reads the whole record.
 */
const largeKinds = new Set([
  'campaigns',
  'designSystems',
  'signupForms',
  'templates',
  'transactionalEmails',
  'triggeredEmails',
])

type Keys = {
  readonly unique: readonly (readonly string[])[]
  readonly index: readonly (readonly string[])[]
  readonly sparse?: readonly string[]
}
type Conditions = Readonly<Record<string, unknown>>
type Place = { readonly by: string; readonly skip: number }

const isOne = (wanted: unknown) => typeof wanted === 'string'
const isGiven = (wanted: unknown) => isOne(wanted) || (Array.isArray(wanted) && wanted.every(isOne))

/** An index must start with these fields and continue with the sort field. */
const isServed = ({ unique, index, sparse = [] }: Keys, where: Conditions, { by, skip }: Place): boolean => {
  const asked = Object.entries(where)
  if (asked.length === 0 && by === '_id') return true
  return (
    skip <= shortSkip &&
    asked.every(([, wanted]) => isOne(wanted)) &&
    [...[...unique, ...sparse.map((field) => [field])].map((fields) => fields.slice(0, 1)), ...index].some(
      (fields) =>
        fields.length >= asked.length &&
        fields.length <= asked.length + 1 &&
        asked.every(([field]) => fields.slice(0, asked.length).includes(field)) &&
        (fields[asked.length] ?? '_id') === by,
    )
  )
}

export const readOnMainThread = ({ statement }: Pick<SqliteDatabase, 'statement'>): ReadSqlRows =>
  Object.assign(
    async (query: SqlFragment | string) =>
      typeof query === 'string' ? statement(query).all() : statement(query.text).all(...query.parameters),
    {
      parts: async (text: string, parts: readonly (readonly SqlParameter[])[]) => ({
        rows: parts.flatMap((part) => statement(text).all(...part)),
        threads: 0,
      }),
      check: rawSql('1'),
    },
  )

/** On the main thread if an index serves the query or few rows match, none of a large kind, else in a reader thread, charged to its account. */
export const queryThreadRouter = (database: SqliteDatabase, collection: string, keys: Keys) => {
  const { statement, readers } = database
  const ownerOf = queryAccountLookup(database)
  const isLarge = largeKinds.has(collection)
  const here = readOnMainThread(database)
  const leading = [...new Set([...keys.unique, ...keys.index].map(([field]) => field))]

  const isShort = (text: string, ...parameters: readonly SqlParameter[]) => {
    const counted = `SELECT count(*) AS n FROM (SELECT 1 FROM "${collection}" WHERE ${text} LIMIT ${mostMainThreadQueryRows + 1})`
    return Number(statement(counted).get(...parameters)?.n) <= mostMainThreadQueryRows
  }

  const isFew = (where: Conditions): boolean =>
    where._id !== undefined ||
    keys.unique.some((fields) => fields.every((field) => isGiven(where[field]))) ||
    leading.some((field) => {
      if (field === undefined || !isGiven(where[field])) return false
      return isShort(`"${field}" IN (SELECT value FROM json_each(?))`, JSON.stringify([where[field]].flat()))
    }) ||
    isShort('1')

  /** @param place set if there are only these conditions @param order `first` precedes the account's other requests */
  return (where: Conditions, place?: Place, order?: 'first'): ReadSqlRows =>
    (!isLarge || where._id !== undefined) && ((place && isServed(keys, where, place)) || isFew(where))
      ? here
      : readers.request(ownerOf(where) ?? collection, order)
}
