import { type AnyBulkWriteOperation, type Collection, type Document, MongoNetworkError } from 'mongodb'
import type { MongoDatabase } from '../src/connection/mongo-database.js'

type Database = Pick<MongoDatabase, 'collection'>
/** The write, and what half of it would be, where it is one of several documents. */
type Write = { readonly whole: () => Promise<unknown>; readonly half: () => Promise<unknown> }

const writes = new Set([
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'bulkWrite',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
])

const halfOf = (collection: Collection, method: string, [list, options]: readonly unknown[]) => {
  const some = Array.isArray(list) ? (list as Document[]).slice(0, Math.floor(list.length / 2)) : []
  if (some.length === 0) return async () => undefined
  const half =
    method === 'insertMany'
      ? () => collection.insertMany(some, options as object)
      : () => collection.bulkWrite(some as unknown as readonly AnyBulkWriteOperation[], options as object)
  // What half of it comes to, nobody hears.
  return async () => void (await half().catch(() => undefined))
}

/** A database whose every write can be held up, or made to fail, before it happens; `underWay` has those that have begun. */
const watched = (
  database: Database,
  before: (write: Write) => Promise<void>,
  underWay = new Set<Promise<unknown>>(),
): Database => {
  const watch = (collection: Collection): Collection =>
    new Proxy(collection, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name, target)
        if (typeof found !== 'function') return found
        const call = found.bind(target) as (...given: readonly unknown[]) => unknown
        if (typeof name !== 'string' || !writes.has(name)) return call
        return async (...given: readonly unknown[]) => {
          await before({ whole: async () => call(...given), half: halfOf(target, name, given) })
          const writing = (async () => call(...given))()
          underWay.add(writing)
          return writing.finally(() => underWay.delete(writing))
        }
      },
    })
  return { collection: (name) => watch(database.collection(name) as unknown as Collection) as never }
}

/** Something to wait for, and what ends the waiting. */
export const gate = () => {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

class Killed extends Error {
  constructor() {
    super('Killed')
  }
}

/** A process that dies before its n-th write, or in the middle of it, and writes nothing from then on: what had left it has arrived. */
export const killedAt = (database: Database, n: number, how: 'before' | 'amid') => {
  let count = 0
  let isDead = false
  const underWay = new Set<Promise<unknown>>()
  const kill = async ({ half }: Write) => {
    if (!isDead && ++count === n) {
      isDead = true
      if (how === 'amid') await half()
    }
    if (!isDead) return
    await Promise.allSettled(underWay)
    throw new Killed()
  }
  const killed = watched(database, kill, underWay)
  return { database: killed, writes: () => count }
}

/** A process that is held up before its n-th write until something else has happened, and then goes on as if nothing had. */
export const frozenAt = (database: Database, n: number, meanwhile: () => Promise<void>): Database => {
  let count = 0
  return watched(database, async () => {
    if (++count === n) await meanwhile()
  })
}

/** A connection that is cut at the n-th write: before it arrives, in the middle of it, or before its answer does. */
export const cutAt = (database: Database, n: number, when: 'before' | 'amid' | 'after'): Database => {
  let count = 0
  return watched(database, async ({ half, whole }) => {
    if (++count !== n) return
    if (when === 'amid') await half()
    if (when === 'after') await whole()
    throw new MongoNetworkError('The connection was cut')
  })
}

/** A connection that is cut at the n-th write, which arrives all the same, but only when told to. */
export const delayedAt = (database: Database, n: number) => {
  let count = 0
  let late: Write['whole'] | undefined
  const delayed = watched(database, async ({ whole }) => {
    if (++count !== n) return
    late = whole
    throw new MongoNetworkError('The connection was cut')
  })
  return { database: delayed, arrive: async () => void (await late?.().catch(() => undefined)) }
}
