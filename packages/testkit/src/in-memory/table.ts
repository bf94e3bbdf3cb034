import {
  type ContainingText,
  compareByCodePoint,
  isContainingText,
  isStorableText,
  KeyTaken,
  type RecordKind,
  type Scalar,
  type StoredRecord,
  type Where,
  type WhereValue,
} from '@posthorn/core/ports/storage'

const own = (object: unknown, key: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Readonly<Record<string, unknown>>)[key]
    : undefined

const valueAt = (record: object, path: string): unknown => {
  const dot = path.indexOf('.')
  return dot < 0 ? own(record, path) : own(own(record, path.slice(0, dot)), path.slice(dot + 1))
}

const isOne = (wanted: WhereValue): wanted is Scalar => !Array.isArray(wanted)

const contains = ({ containing: text }: ContainingText) => {
  const part = text.toLowerCase()
  return (one: unknown) => typeof one === 'string' && isStorableText(text) && one.toLowerCase().includes(part)
}

const metBy = (wanted: Exclude<WhereValue, undefined>): ((one: unknown) => boolean) => {
  if (isContainingText(wanted)) return contains(wanted)
  const values: ReadonlySet<unknown> = new Set<unknown>(isOne(wanted) ? [wanted] : wanted)
  return (one) => values.has(one)
}

const meets = (wanted: WhereValue): ((stored: unknown) => boolean) => {
  if (wanted === undefined) return (stored) => stored === undefined
  const met = metBy(wanted)
  return (stored) => (Array.isArray(stored) ? stored.some(met) : met(stored))
}

/** Whether a record matches a `Where`: the only implementation in memory. */
export const whereMatcher = <T extends object>(where: Where<T>): ((record: T) => boolean) => {
  const tests = Object.entries(where).map(([path, wanted]) => ({ path, met: meets(wanted as WhereValue) }))
  return (record) => tests.every(({ path, met }) => met(valueAt(record, path)))
}

/** A sorted list with binary search: the equivalent of a store's index. No two items compare as equal. */
export const selfSortingList = <T>(compare: (a: T, b: T) => number) => {
  const items: T[] = []

  const placeOf = (item: T): number => {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(items[middle] as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  const has = (place: number, item: T) => place < items.length && compare(items[place] as T, item) === 0

  return {
    items: items as readonly T[],
    add: (item: T): void => {
      items.splice(placeOf(item), 0, item)
    },
    remove: (item: T): void => {
      const place = placeOf(item)
      if (has(place, item)) items.splice(place, 1)
    },
    /** The given item need not be in the list. */
    *after(item: T | undefined): Iterable<T> {
      const place = item === undefined ? 0 : placeOf(item)
      const first = item !== undefined && has(place, item) ? place + 1 : place
      for (let index = first; index < items.length; index += 1) yield items[index] as T
    },
  }
}
export type SortedList<T> = ReturnType<typeof selfSortingList<T>>

type UniqueKey = { readonly fields: readonly string[]; readonly holders: Map<string, string> }

/** Undefined if a value is absent: such a record conflicts with no other. */
const keyOf = (values: readonly unknown[]): string | undefined =>
  values.includes(undefined) ? undefined : JSON.stringify(values)

const fieldsOf = (record: object, fields: readonly string[]) =>
  fields.map((field) => (record as Readonly<Record<string, unknown>>)[field])

/** All combinations of one value per field; undefined if `where` lacks values for a field. */
const choices = (where: object, fields: readonly string[]): readonly (readonly unknown[])[] | undefined =>
  fieldsOf(where, fields).reduce<readonly (readonly unknown[])[] | undefined>(
    (sofar, wanted) => {
      if (wanted === undefined || isContainingText(wanted) || sofar === undefined) return undefined
      const values = Array.isArray(wanted) ? (wanted as readonly WhereValue[]) : [wanted]
      return sofar.flatMap((some) => values.map((value) => [...some, value]))
    },
    [[]],
  )

export const keyWasFree = (add: () => void): boolean => {
  try {
    add()
    return true
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    return false
  }
}

/** In `_id` order. Synchronous, so that several tables can change in one step. Copies records in and out. */
export const inMemoryTable = <T extends StoredRecord>(collection: string, kind: RecordKind<T>) => {
  const records = new Map<string, T>()
  const ids = selfSortingList(compareByCodePoint)
  const keys: readonly UniqueKey[] = kind.unique.map((fields) => ({ fields, holders: new Map() }))

  const refuseTaken = (record: T, replaced?: T) => {
    if (!replaced && records.has(record._id)) throw new KeyTaken(collection, ['_id'])
    for (const { fields, holders } of keys) {
      const key = keyOf(fieldsOf(record, fields))
      const holder = key === undefined ? undefined : holders.get(key)
      if (holder !== undefined && holder !== replaced?._id) throw new KeyTaken(collection, fields)
    }
  }

  const drop = (record: T) => {
    records.delete(record._id)
    ids.remove(record._id)
    for (const { fields, holders } of keys) {
      const key = keyOf(fieldsOf(record, fields))
      if (key !== undefined) holders.delete(key)
    }
  }

  const keep = (record: T) => {
    records.set(record._id, record)
    ids.add(record._id)
    for (const { fields, holders } of keys) {
      const key = keyOf(fieldsOf(record, fields))
      if (key !== undefined) holders.set(key, record._id)
    }
  }

  /** Ids by `_id` or a unique key; undefined if `where` names none. */
  const named = (where: Where<T>): readonly string[] | undefined => {
    const byId = choices(where, ['_id'])?.map(([id]) => String(id))
    if (byId) return byId
    for (const { fields, holders } of keys) {
      const found = choices(where, fields)?.map((values) => holders.get(JSON.stringify(values)))
      if (found) return found.filter((id) => id !== undefined)
    }
    return undefined
  }

  const candidates = function* (where: Where<T>, after: string | undefined): Iterable<T> {
    const few = named(where)
    const among = few
      ? [...new Set(few)]
          .sort(compareByCodePoint)
          .filter((id) => after === undefined || compareByCodePoint(id, after) > 0)
      : ids.after(after)
    for (const id of among) {
      const record = records.get(id)
      if (record) yield record
    }
  }

  /** The stored records, in `_id` order. Copy them before returning them. */
  const fits = function* (where: Where<T>, after?: string): Iterable<T> {
    const test = whereMatcher(where)
    for (const record of candidates(where, after)) if (test(record)) yield record
  }

  const first = (where: Where<T>): T | undefined => {
    for (const record of fits(where)) return record
    return undefined
  }

  return {
    fits,
    get: (where: Where<T>): T | undefined => structuredClone(first(where)),
    /** @throws KeyTaken */
    add: (record: T): void => {
      refuseTaken(record)
      keep(structuredClone(record))
    },
    /** @throws KeyTaken */
    change: (where: Where<T>, decide: (current: T) => T): T | undefined => {
      const current = first(where)
      if (!current) return undefined
      const given = structuredClone(current)
      const decided = decide(given)
      if (decided === given) return structuredClone(current)
      refuseTaken(decided, current)
      drop(current)
      keep(structuredClone(decided))
      return structuredClone(decided)
    },
    remove: (where: Where<T>): T | undefined => {
      const record = first(where)
      if (record) drop(record)
      return record
    },
    removeAll: (where: Where<T>): number => {
      const all = [...fits(where)]
      all.forEach(drop)
      return all.length
    },
  }
}
export type InMemoryTable<T extends StoredRecord> = ReturnType<typeof inMemoryTable<T>>
