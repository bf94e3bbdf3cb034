import {
  KeyTaken,
  type Listed,
  type ListQuery,
  type RecordKind,
  type Repository,
  type Stored,
  type Where,
  type WhereValue,
} from '@posthorn/core'
import { compare } from './order.js'

const at = (record: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      record,
    )

const equal = (stored: unknown, wanted: unknown) =>
  wanted === undefined ? stored === undefined : Array.isArray(stored) ? stored.includes(wanted) : stored === wanted

const fits = (record: object, where: Where<never>): boolean =>
  Object.entries(where as Record<string, WhereValue>).every(([path, wanted]) => {
    const stored = at(record, path)
    return Array.isArray(wanted) ? wanted.some((one) => equal(stored, one)) : equal(stored, wanted)
  })

/** A repository in memory. What goes in and comes out is copied, as it would be by a store. */
export const inMemoryRepository = <T extends Stored>(collection: string, kind: RecordKind<T>): Repository<T> => {
  const records = new Map<string, T>()
  const keys = [['_id'] as (keyof T & string)[], ...kind.unique]

  const all = () => [...records.values()].sort((a, b) => compare(a._id, b._id))
  const first = (where: Where<T>): T | undefined => {
    const { _id } = where as { _id?: unknown }
    if (typeof _id === 'string') {
      const found = records.get(_id)
      return found && fits(found, where as Where<never>) ? found : undefined
    }
    return all().find((record) => fits(record, where as Where<never>))
  }

  const assertFree = (record: T) => {
    for (const key of keys) {
      const clash = [...records.values()].some(
        (other) =>
          other._id !== record._id &&
          key.every((field) => other[field] === record[field] && record[field] !== undefined),
      )
      if (clash) throw new KeyTaken(collection, key)
    }
  }

  return {
    get: async (where) => structuredClone(first(where)),

    list: async ({ where, sort, skip, limit }: ListQuery<T>): Promise<Listed<T>> => {
      const sign = sort.order === 'asc' ? 1 : -1
      const found = all()
        .filter((record) => fits(record, where as Where<never>))
        .sort((a, b) => sign * (compare(a[sort.by], b[sort.by]) || compare(a._id, b._id)))
      return { items: structuredClone(found.slice(skip, skip + limit)), count: found.length }
    },

    each: async function* (where) {
      for (const { _id } of all()) {
        const record = records.get(_id)
        if (record && fits(record, where as Where<never>)) yield structuredClone(record)
      }
    },

    add: async (record) => {
      if (records.has(record._id)) throw new KeyTaken(collection, ['_id'])
      assertFree(record)
      records.set(record._id, structuredClone(record))
    },

    change: async (where, decide) => {
      const current = first(where)
      if (!current) return undefined
      const given = structuredClone(current)
      const next = decide(given)
      if (next === given) return given
      assertFree(next)
      records.set(current._id, structuredClone(next))
      return structuredClone(next)
    },

    remove: async (where) => {
      const found = first(where)
      if (found) records.delete(found._id)
      return found
    },

    removeAll: async (where) => {
      const found = all().filter((record) => fits(record, where as Where<never>))
      for (const { _id } of found) records.delete(_id)
      return found.length
    },
  }
}
