import { MongoServerError } from 'mongodb'

/** A unique key is taken. https://www.mongodb.com/docs/manual/reference/error-codes/ */
const isTaken = (error: unknown) => error instanceof MongoServerError && error.code === 11_000

/**
 * Upserts by `_id`. Where another process inserts the same document at the same moment, the server refuses one of the two, which then
 * finds it there.
 */
export const upserted = async <T>(upsert: () => Promise<T>): Promise<T> => {
  try {
    return await upsert()
  } catch (error) {
    if (!isTaken(error)) throw error
    return upsert()
  }
}
