import type { Collection, Db, Document } from 'mongodb'
import { operationTime } from './retried.js'

/** What a collection is asked for and told, and which of what it is given are the options. */
const verbs = {
  find: 1,
  findOne: 1,
  aggregate: 1,
  countDocuments: 1,
  distinct: 2,
  insertOne: 1,
  insertMany: 1,
  bulkWrite: 1,
  updateOne: 2,
  updateMany: 2,
  replaceOne: 2,
  deleteOne: 1,
  deleteMany: 1,
  findOneAndUpdate: 2,
  findOneAndReplace: 2,
  findOneAndDelete: 1,
} as const satisfies Partial<Record<keyof Collection, number>>

type Verb = (...given: readonly unknown[]) => unknown

/** The collection, on which every operation has a time limit that the server keeps; one that is given goes before. */
const limited = <T extends Document>(collection: Collection<T>): Collection<T> => {
  const limits = Object.entries(verbs).map(([name, at]) => {
    const verb = (Reflect.get(collection, name) as Verb).bind(collection)
    const within: Verb = (...given) => {
      const before = Array.from({ length: at }, (_, n) => given[n])
      return verb(...before, { maxTimeMS: operationTime, ...(given[at] as object | undefined) })
    }
    return [name, within] as const
  })
  return Object.assign(collection, Object.fromEntries(limits))
}

/**
 * The database, whose collections end what takes longer than twelve seconds (`maxTimeMS`). The driver's own `timeoutMS` does nothing
 * (7.8), so that each command is told.
 */
export const withTimeLimits = (db: Db): Db => {
  const plain = db.collection.bind(db)
  const collection = (...given: Parameters<Db['collection']>) => limited(plain(...given))
  return Object.assign(db, { collection })
}
