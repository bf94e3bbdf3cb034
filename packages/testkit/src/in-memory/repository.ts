import {
  compareByCodePoint,
  compareValues,
  type ListSort,
  type RecordKind,
  type RecordLimit,
  RecordLimitReached,
  type Repository,
  type StoredRecord,
  type Where,
} from '@posthorn/core/ports/storage'
import { inMemoryTable, keyWasFree } from './table.js'

const pageSize = 500

export const recordComparator = <T extends StoredRecord>({ by, order }: ListSort<T>) => {
  const sign = order === 'asc' ? 1 : -1
  return (a: T, b: T) => sign * (compareValues(a[by], b[by]) || compareByCodePoint(a._id, b._id))
}

/** Records in memory: the model that every other store is compared with. */
export const inMemoryRepository = <T extends StoredRecord>(
  collection: string,
  kind: RecordKind<T>,
  table = inMemoryTable(collection, kind),
): Repository<T> => {
  /** Removes the added records again over the limit. @throws RecordLimitReached */
  const assertRoom = (added: readonly T[], room: RecordLimit<T> | undefined): void => {
    if (!room || added.length === 0 || [...table.fits(room.where)].length <= room.limit) return
    for (const { _id } of added) table.remove({ _id } as Where<T>)
    throw new RecordLimitReached(collection, room.limit)
  }

  return {
    noun: kind.noun,
    get: async (where) => table.get(where),
    list: async ({ where, sort, skip, limit, without = [] }) => {
      const all = [...table.fits(where)].sort(recordComparator(sort))
      const items = structuredClone(all.slice(skip, skip + limit))
      for (const item of items) for (const field of without) Reflect.deleteProperty(item, field)
      return { items, count: all.length }
    },
    async *each(where) {
      for (let after: string | undefined; ; ) {
        const page: T[] = []
        for (const record of table.fits(where, after)) if (page.push(record) === pageSize) break
        yield* structuredClone(page)
        if (page.length < pageSize) return
        after = page.at(-1)?._id
      }
    },
    add: async (record, room) => {
      table.add(record)
      assertRoom([record], room)
    },
    addNew: async (several, room) => {
      const added = several.filter((record) => keyWasFree(() => table.add(record)))
      assertRoom(added, room)
      return structuredClone(added)
    },
    change: async (where, decide) => table.change(where, decide),
    changeNext: async (where, decide, { after, limit }) => {
      const ids: string[] = []
      for (const { _id } of table.fits(where, after)) if (ids.push(_id) === limit) break
      for (const _id of ids) table.change({ ...where, _id }, decide)
      return ids.length < limit ? undefined : ids.at(-1)
    },
    remove: async (where) => table.remove(where),
    removeAll: async (where) => table.removeAll(where),
  }
}
