import { setImmediate as turn } from 'node:timers/promises'
import {
  KeyTaken,
  type Page,
  type RecordKind,
  type RecordLimit,
  RecordLimitReached,
  type Repository,
  type RepositoryListQuery,
  type StoredRecord,
  type Where,
} from '@posthorn/core/ports/storage'
import type { SqlParameter, SqlRow } from '../database/connection.js'
import { rawSql, type SqlFragment, sql } from '../database/sql.js'
import type { SqliteDatabase } from '../database/sqlite-database.js'
import { queryThreadRouter } from './query-routing.js'
import type { RecordQueryCache } from './record-cache.js'
import { documentRecordMapping, keyColumnsOf, type RecordMapping, tableKeysOf } from './record-table.js'
import { jsonPath, orderSql, readSqlPage, whereSql } from './where-sql.js'

/** `within`: for callers that are already in a commit. */
export type SqliteRepository<T extends StoredRecord> = Repository<T> & {
  readonly within: {
    readonly get: (where: Where<T>) => T | undefined
    readonly has: (where: Where<T>) => boolean
    readonly add: (record: T) => void
    readonly addNew: (record: T) => boolean
    readonly change: (where: Where<T>, decide: (current: T) => T) => T | undefined
    readonly remove: (where: Where<T>) => T | undefined
  }
}

/** Write further rows with a record, in the same commit. */
export type RecordHooks<T> = {
  /** If the further rows have values that the documents lack. */
  readonly form?: RecordMapping<T>
  readonly added: (record: T) => void
  readonly changed: (before: T, after: T) => void
}

const pageSize = 500
const onePage = rawSql(`LIMIT ${pageSize}`)

/** Fields are names from the code, not from requests. */
const selectedWithout = (selected: string, fields: readonly string[]): string => {
  const paths = fields.map((field) => `, '${jsonPath(field)}'`).join('')
  return paths === '' ? selected : selected.replace('json(doc)', `json_remove(doc${paths})`)
}

const charactersOf = (rows: readonly SqlRow[]) => rows.reduce((sum, { doc }) => sum + String(doc).length, 0)

const columnValue = (value: unknown): SqlParameter =>
  typeof value === 'string' || typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : null

const keyTakenIn = (error: unknown): readonly string[] | undefined => {
  const columns = error instanceof Error ? /UNIQUE constraint failed: (.+)$/.exec(error.message)?.[1] : undefined
  return columns?.split(', ').map((column) => column.slice(column.lastIndexOf('.') + 1))
}

/**
 * JSONB documents, with columns for keys and indexes. By hand: `SELECT json(doc) FROM contacts` (`segment_index` has the date of the last
 * mail).
 */
export const sqliteRepository = <T extends StoredRecord>(
  database: SqliteDatabase,
  collection: string,
  kind: RecordKind<T>,
  hooks?: RecordHooks<T>,
  cache?: RecordQueryCache,
): SqliteRepository<T> => {
  const { statement, write } = database
  const reading = queryThreadRouter(database, collection, tableKeysOf(collection, kind))
  const fields = keyColumnsOf(kind)
  const { selected, recordOf, columns } = hooks?.form ?? documentRecordMapping<T>(kind)
  const table = `"${collection}"`
  const quoted = fields.map((field) => `"${field}"`)
  const insert = `INSERT INTO ${table} (${['_id', 'doc', ...quoted].join(', ')}) VALUES (?, jsonb(?)${', ?'.repeat(fields.length)})`
  const insertNew = `${insert} ON CONFLICT DO NOTHING`
  const replace = `UPDATE ${table} SET ${['doc = jsonb(?)', ...quoted.map((column) => `${column} = ?`)].join(', ')} WHERE _id = ?`
  const select = `SELECT ${selected} FROM ${table} WHERE`

  const valuesOf = (record: T): readonly SqlParameter[] => [
    JSON.stringify(record),
    ...fields.map((field) => columnValue(record[field as keyof T])),
  ]
  const run = (sql: string, ...parameters: readonly SqlParameter[]): void => {
    cache?.forget()
    try {
      statement(sql).run(...parameters)
    } catch (error) {
      const key = keyTakenIn(error)
      throw key ? new KeyTaken(collection, key) : error
    }
  }

  const rowOf = (where: Where<T>): SqlRow | undefined => {
    const { text, parameters } = whereSql(where, columns)
    return statement(`${select} ${text} ORDER BY _id LIMIT 1`).get(...parameters)
  }
  const get = (where: Where<T>): T | undefined => {
    const row = rowOf(where)
    return row && recordOf(row)
  }
  /** Strangers can query any number of missing records: not cached. */
  const getRemembered = (where: Where<T>): T | undefined => {
    const known = cache?.known('one', where)
    if (!cache || known) return (known as T | undefined) ?? get(where)
    const keep = cache.keeper('one', where)
    const row = rowOf(where)
    return row && keep(recordOf(row), String(row.doc).length)
  }
  const has = (where: Where<T>): boolean => {
    const { text, parameters } = whereSql(where, columns)
    return statement(`SELECT 1 FROM ${table} WHERE ${text} LIMIT 1`).get(...parameters) !== undefined
  }
  const addNew = (record: T): boolean => {
    cache?.forget()
    const isAdded = Number(statement(insertNew).run(record._id, ...valuesOf(record)).changes) > 0
    if (isAdded) hooks?.added(record)
    return isAdded
  }
  const add = (record: T): void => {
    run(insert, record._id, ...valuesOf(record))
    hooks?.added(record)
  }
  const assertRoom = (room: RecordLimit<T> | undefined): void => {
    if (!room) return
    const { text, parameters } = whereSql(room.where, columns)
    const found = statement(`SELECT count(*) AS n FROM ${table} WHERE ${text}`).get(...parameters)
    if (Number(found?.n) > room.limit) throw new RecordLimitReached(collection, room.limit)
  }
  const change = (where: Where<T>, decide: (current: T) => T): T | undefined => {
    const current = get(where)
    const next = current && decide(current)
    if (!next || next === current) return next
    const values = valuesOf(next)
    run(replace, ...values, current._id)
    const stored = JSON.parse(String(values[0])) as T
    hooks?.changed(current, stored)
    return stored
  }

  const remove = (where: Where<T>): T | undefined => {
    const found = get(where)
    if (found) run(`DELETE FROM ${table} WHERE _id = ?`, found._id)
    return found
  }

  const removeThose = (ids: readonly string[], fits: SqlFragment) => {
    cache?.forget()
    const { text, parameters } = sql`_id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND (${fits})`
    return Number(statement(`DELETE FROM ${table} WHERE ${text}`).run(...parameters).changes)
  }

  return {
    noun: kind.noun,
    within: { get, has, add, addNew, change, remove },

    get: async (where) => getRemembered(where),

    list: async ({ where, sort, skip, limit, without = [] }: RepositoryListQuery<T>): Promise<Page<T>> => {
      const read = reading(where, { by: sort.by, skip })
      const order = orderSql(sort.by, sort.order, columns)
      const mapping = { selected: selectedWithout(selected, without), recordOf }
      return readSqlPage<T>(read, collection, mapping, whereSql(where, columns), order, { skip, limit })
    },

    each: async function* (where) {
      const known = cache?.known('all', where)
      if (known) return yield* known as readonly T[]
      const keep = cache?.keeper('all', where)
      const fits = whereSql(where, columns)
      // With `+`, SQLite looks up each value and sorts, instead of scanning.
      const order = rawSql(Object.values(where).some(Array.isArray) ? '+_id' : '_id')
      const read = reading(where, { by: '_id', skip: 0 })
      for (let after = ''; ; ) {
        const rows = await read(
          sql`${rawSql(select)} ${read.check} AND ${fits} AND _id > ${after} ORDER BY ${order} ${onePage}`,
        )
        const page = rows.map(recordOf)
        const isWhole = page.length < pageSize
        if (isWhole && after === '') keep?.(page, charactersOf(rows))
        yield* page
        const last = page.at(-1)
        if (!last || isWhole) return
        after = last._id
        await turn()
      }
    },

    add: (record, room) =>
      write(() => {
        add(record)
        assertRoom(room)
      }),
    addNew: (records, room) =>
      write(() => {
        const added = records.filter(addNew)
        if (added.length > 0) assertRoom(room)
        return added
      }),
    change: (where, decide) => write(() => change(where, decide)),
    changeNext: async (where, decide, { after = '', limit }) => {
      const fits = whereSql(where, columns)
      const read = reading(where, { by: '_id', skip: 0 })
      const found = await read(
        sql`SELECT _id FROM ${rawSql(table)} WHERE ${read.check} AND ${fits} AND _id > ${after} ORDER BY _id LIMIT ${limit}`,
      )
      const ids = found.map(({ _id }) => String(_id))
      await write(() => {
        for (const _id of ids) change({ ...where, _id }, decide)
      })
      return ids.length < limit ? undefined : ids.at(-1)
    },

    remove: (where) => write(() => remove(where)),

    removeAll: async (where) => {
      const fits = whereSql(where, columns)
      const read = reading(where, { by: '_id', skip: 0 })
      const ids = sql`SELECT _id FROM ${rawSql(table)} WHERE ${read.check} AND ${fits} ${onePage}`
      for (let removed = 0; ; ) {
        const found = (await read(ids)).map(({ _id }) => String(_id))
        if (found.length === 0) return removed
        removed += await write(() => removeThose(found, fits))
        if (found.length < pageSize) return removed
      }
    },
  }
}
