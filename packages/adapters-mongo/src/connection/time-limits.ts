import { busy } from '@posthorn/core/ports/runtime'
import type { Collection, Db, Document } from 'mongodb'
import { isMongoTimeLimitError, mostOperationTime, retried } from './retries.js'

/** Position of the options argument. */
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

/** The server enforces the limit; one in the options takes precedence. */
const withTimeout = <T extends Document>(collection: Collection<T>): Collection<T> => {
  const limits = Object.entries(verbs).map(([name, at]) => {
    const verb = (Reflect.get(collection, name) as Verb).bind(collection)
    const within: Verb = (...given) => {
      const before = Array.from({ length: at }, (_, n) => given[n])
      return verb(...before, { maxTimeMS: mostOperationTime, ...(given[at] as object | undefined) })
    }
    return [name, within] as const
  })
  return Object.assign(collection, Object.fromEntries(limits))
}

/** Sets `maxTimeMS` on each command: the driver's `timeoutMS` has no effect (7.8). */
export const withTimeLimits = (db: Db): Db => {
  const plain = db.collection.bind(db)
  const collection = (...given: Parameters<Db['collection']>) => withTimeout(plain(...given))
  return Object.assign(db, { collection })
}

const listTooSlowMessage = 'The list takes too long. Ask for fewer at a time, or with a narrower filter.'

/** For user-controlled queries, which are retried. @throws Refusal `busy` if the server ended the query */
export const queryInTime = async <T>(query: () => Promise<T>, sentence = listTooSlowMessage): Promise<T> => {
  try {
    return await retried(query)
  } catch (error) {
    throw isMongoTimeLimitError(error) ? busy(sentence) : error
  }
}

/** Servers such as DocumentDB refuse larger numbers. */
const largestInt32 = 2 ** 31 - 1
const mostInBatch = 1_000

export const pageFindOptions = ({ skip, limit }: { readonly skip: number; readonly limit: number }) => ({
  skip: Math.min(skip, largestInt32),
  limit: Math.min(limit, largestInt32),
  batchSize: Math.min(limit, mostInBatch),
})
