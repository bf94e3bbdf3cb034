import {
  KeyTaken,
  type Listed,
  type ListQuery,
  type RecordKind,
  type Repository,
  type Sort,
  type Stored,
  type Where,
} from '@posthorn/core'
import type { Parameter, Row, SqliteDatabase } from './sqlite-database.js'
import { columnsOf } from './sqlite-schema.js'
import { jsonPath, type Sql, whereSql } from './sqlite-where.js'

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

/** The fields of the unique key that SQLite found taken, read from its message. */
const keyTakenIn = (error: unknown): readonly string[] | undefined => {
  const columns = error instanceof Error ? /UNIQUE constraint failed: (.+)$/.exec(error.message)?.[1] : undefined
  return columns?.split(', ').map((column) => column.slice(column.lastIndexOf('.') + 1))
}

/**
 * One table of documents, which are JSON in SQLite's binary form, with real columns for what the manifest's keys and indexes name.
 * To read one by hand: `SELECT json(doc) FROM contacts`.
 */
export const sqliteRepository = <T extends Stored>(
  { statement, write }: SqliteDatabase,
  collection: string,
  kind: RecordKind<T>,
): SqliteRepository<T> => {
  const fields = columnsOf(kind)
  const columns = new Set(['_id', ...fields])
  const table = `"${collection}"`
  const quoted = fields.map((field) => `"${field}"`)
  const insert = `INSERT INTO ${table} (${['_id', 'doc', ...quoted].join(', ')}) VALUES (?, jsonb(?)${', ?'.repeat(fields.length)})`
  const replace = `UPDATE ${table} SET ${['doc = jsonb(?)', ...quoted.map((column) => `${column} = ?`)].join(', ')} WHERE _id = ?`
  const select = `SELECT json(doc) AS doc FROM ${table} WHERE`

  const recordOf = ({ doc }: Row) => JSON.parse(String(doc)) as T
  const valuesOf = (record: T): readonly Parameter[] => [
    JSON.stringify(record),
    ...fields.map((field) => columnValue(record[field as keyof T])),
  ]
  const run = (sql: string, ...parameters: readonly Parameter[]): void => {
    try {
      statement(sql).run(...parameters)
    } catch (error) {
      const key = keyTakenIn(error)
      throw key ? new KeyTaken(collection, key) : error
    }
  }

  const get = (where: Where<T>): T | undefined => {
    const { text, parameters } = whereSql(where, columns)
    const row = statement(`${select} ${text} ORDER BY _id LIMIT 1`).get(...parameters)
    return row && recordOf(row)
  }
  const add = (record: T): void => run(insert, record._id, ...valuesOf(record))
  const change = (where: Where<T>, decide: (current: T) => T): T | undefined => {
    const current = get(where)
    const next = current && decide(current)
    if (!next || next === current) return next
    const values = valuesOf(next)
    run(replace, ...values, current._id)
    return JSON.parse(String(values[0])) as T
  }

  const orderOf = ({ by, order }: Sort<T>): Sql => {
    const direction = order === 'asc' ? 'ASC' : 'DESC'
    return columns.has(by)
      ? { text: `"${by}" ${direction}, _id ${direction}`, parameters: [] }
      : { text: `json_extract(doc, ?) ${direction}, _id ${direction}`, parameters: [jsonPath(by)] }
  }

  return {
    within: { get, add, change },

    get: async (where) => get(where),

    list: async ({ where, sort, skip, limit }: ListQuery<T>): Promise<Listed<T>> => {
      const { text, parameters } = whereSql(where, columns)
      const order = orderOf(sort)
      const counted = statement(`SELECT count(*) AS n FROM ${table} WHERE ${text}`).get(...parameters)
      const rows = statement(`${select} ${text} ORDER BY ${order.text} LIMIT ? OFFSET ?`)
      return {
        items: rows.all(...parameters, ...order.parameters, limit, skip).map(recordOf),
        count: Number(counted?.n),
      }
    },

    each: async function* (where) {
      const { text, parameters } = whereSql(where, columns)
      // The members of a list are looked up one by one and then sorted, instead of being met on a walk in `_id` order.
      const order = Object.values(where).some(Array.isArray) ? '+_id' : '_id'
      const next = statement(`${select} ${text} AND _id > ? ORDER BY ${order} LIMIT ${pageSize}`)
      for (let after = ''; ; ) {
        const page = next.all(...parameters, after).map(recordOf)
        yield* page
        const last = page.at(-1)
        if (!last || page.length < pageSize) return
        after = last._id
      }
    },

    add: (record) => write(() => add(record)),
    change: (where, decide) => write(() => change(where, decide)),

    remove: (where) =>
      write(() => {
        const found = get(where)
        if (found) run(`DELETE FROM ${table} WHERE _id = ?`, found._id)
        return found
      }),

    removeAll: (where) =>
      write(() => {
        const { text, parameters } = whereSql(where, columns)
        return Number(statement(`DELETE FROM ${table} WHERE ${text}`).run(...parameters).changes)
      }),
  }
}
