import {
  KeyTaken,
  type Listed,
  type ListQuery,
  type RecordKind,
  type Repository,
  type Stored,
  type Where,
} from '@posthorn/core'
import type { Parameter, Row, SqliteDatabase } from './sqlite-database.js'
import { columnsOf } from './sqlite-schema.js'
import { jsonPath, whereSql } from './sqlite-where.js'

/** A repository with the synchronous steps that other writes of the same commit are made of. */
export type SqliteRepository<T extends Stored> = Repository<T> & {
  readonly within: {
    readonly get: (where: Where<T>) => T | undefined
    readonly add: (record: T) => void
    readonly change: (where: Where<T>, decide: (current: T) => T) => T | undefined
  }
}

const pageSize = 500

const columnValue = (value: unknown): Parameter =>
  typeof value === 'string' || typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : null

/** One table of documents, with real columns for what the manifest's keys and indexes name. */
export const sqliteRepository = <T extends Stored>(
  database: SqliteDatabase,
  collection: string,
  kind: RecordKind<T>,
): SqliteRepository<T> => {
  const fields = columnsOf(kind as unknown as RecordKind<Stored>)
  const columns = new Set(['_id', ...fields])
  const table = `"${collection}"`
  const names = ['_id', 'doc', ...fields].map((name) => `"${name}"`)
  const insert = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
  const replace = `UPDATE ${table} SET ${names
    .slice(1)
    .map((name) => `${name} = ?`)
    .join(', ')} WHERE _id = ?`

  const conditionOf = (where: Where<T>) => whereSql(where as Where<never>, columns)
  const recordOf = (row: Row) => JSON.parse(String(row.doc)) as T
  const valuesOf = (record: T): Parameter[] => [
    JSON.stringify(record),
    ...fields.map((field) => columnValue(record[field as keyof T])),
  ]

  const keyOf = (message: string): readonly string[] | undefined => {
    const found = /UNIQUE constraint failed: (.+)$/.exec(message)?.[1]
    return found?.split(', ').map((name) => name.slice(name.lastIndexOf('.') + 1))
  }
  const takenOr = <R>(run: () => R): R => {
    try {
      return run()
    } catch (error) {
      const key = error instanceof Error ? keyOf(error.message) : undefined
      throw key ? new KeyTaken(collection, key) : error
    }
  }

  const get = (where: Where<T>): T | undefined => {
    const { text, parameters } = conditionOf(where)
    const row = database.statement(`SELECT doc FROM ${table} WHERE ${text} ORDER BY _id LIMIT 1`).get(...parameters)
    return row && recordOf(row)
  }
  const add = (record: T): void => {
    takenOr(() => database.statement(insert).run(record._id, ...valuesOf(record)))
  }
  const change = (where: Where<T>, decide: (current: T) => T): T | undefined => {
    const current = get(where)
    if (!current) return undefined
    const next = decide(current)
    if (next !== current) takenOr(() => database.statement(replace).run(...valuesOf(next), current._id))
    return JSON.parse(JSON.stringify(next)) as T
  }

  const orderOf = (by: string, order: 'asc' | 'desc') => {
    const direction = order === 'asc' ? 'ASC' : 'DESC'
    if (columns.has(by)) return { text: `"${by}" ${direction}, _id ${direction}`, parameters: [] }
    return { text: `json_extract(doc, ?) ${direction}, _id ${direction}`, parameters: [jsonPath(by)] }
  }

  return {
    within: { get, add, change },

    get: async (where) => get(where),

    list: async ({ where, sort, skip, limit }: ListQuery<T>): Promise<Listed<T>> => {
      const { text, parameters } = conditionOf(where)
      const order = orderOf(sort.by, sort.order)
      const count = Number(database.statement(`SELECT count(*) AS n FROM ${table} WHERE ${text}`).get(...parameters)?.n)
      const rows = database
        .statement(`SELECT doc FROM ${table} WHERE ${text} ORDER BY ${order.text} LIMIT ? OFFSET ?`)
        .all(...parameters, ...order.parameters, limit, skip)
      return { items: rows.map(recordOf), count }
    },

    each: async function* (where) {
      const { text, parameters } = conditionOf(where)
      // A membership is looked up member by member and then sorted; `+` keeps the planner from walking the table in `_id` order instead.
      const order = Object.values(where).some(Array.isArray) ? '+_id' : '_id'
      const next = database.statement(
        `SELECT doc FROM ${table} WHERE ${text} AND _id > ? ORDER BY ${order} LIMIT ${pageSize}`,
      )
      for (let after = ''; ; ) {
        const page = next.all(...parameters, after).map(recordOf)
        yield* page
        const last = page.at(-1)
        if (!last || page.length < pageSize) return
        after = last._id
      }
    },

    add: (record) => database.write(() => add(record)),
    change: (where, decide) => database.write(() => change(where, decide)),

    remove: (where) =>
      database.write(() => {
        const found = get(where)
        if (found) database.statement(`DELETE FROM ${table} WHERE _id = ?`).run(found._id)
        return found
      }),

    removeAll: (where) =>
      database.write(() => {
        const { text, parameters } = conditionOf(where)
        return Number(database.statement(`DELETE FROM ${table} WHERE ${text}`).run(...parameters).changes)
      }),
  }
}
