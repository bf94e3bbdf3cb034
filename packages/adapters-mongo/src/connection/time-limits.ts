import { busy } from '@posthorn/core/ports/runtime'
import type { Collection, Db, Document } from 'mongodb'
import { isGivenUp, operationTime } from './retries.js'

/** The collection's operations, each with the index of its options argument. */
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

/** Gives every operation of the collection a time limit that the server enforces. A limit in the options takes precedence. */
const withTimeout = <T extends Document>(collection: Collection<T>): Collection<T> => {
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
 * Limits every operation on the database's collections to 12 s (`maxTimeMS`). The limit is set on each command, because the driver's
 * `timeoutMS` has no effect (7.8).
 */
export const withTimeLimits = (db: Db): Db => {
  const plain = db.collection.bind(db)
  const collection = (...given: Parameters<Db['collection']>) => withTimeout(plain(...given))
  return Object.assign(db, { collection })
}

/** The message for a list that takes too long. */
export const tooLong = 'The list takes too long. Ask for fewer at a time, or with a narrower filter.'

/**
 * Awaits a query whose size users control.
 * @throws Refusal `busy`, with the sentence, if the server ended the query
 */
export const inTime = async <T>(answer: Promise<T>, sentence: string): Promise<T> => {
  try {
    return await answer
  } catch (error) {
    throw isGivenUp(error) ? busy(sentence) : error
  }
}

/** The largest number in a command: servers such as DocumentDB refuse larger ones with an error. */
const largestInt32 = 2 ** 31 - 1
/** Documents in one reply; the driver fetches further batches of a longer list. */
const mostInBatch = 1_000

/** The options of a query for a page, with numbers that every server accepts: an infinite `limit` becomes the largest one. */
export const pageRange = ({ skip, limit }: { readonly skip: number; readonly limit: number }) => ({
  skip: Math.min(skip, largestInt32),
  limit: Math.min(limit, largestInt32),
  batchSize: Math.min(limit, mostInBatch),
})
