import type { StoreClock } from '@posthorn/core/ports/storage'
import { type Document, MongoServerError } from 'mongodb'
import type { MongoDatabase } from './mongo-database.js'
import { answered } from './retried.js'

/** https://www.mongodb.com/docs/manual/reference/error-codes/ (CommandNotFound) */
const isUnknown = (error: unknown) => error instanceof MongoServerError && error.code === 59

/**
 * The clock of the primary, from `hello`, or from `isMaster` on servers without `hello`
 * (https://www.mongodb.com/docs/manual/reference/command/hello/). If a server reports no time, this machine's clock is used.
 */
export const mongoClock = ({ db }: Pick<MongoDatabase, 'db'>): StoreClock => {
  const ask = async (): Promise<Document> => {
    try {
      return await db.command({ hello: 1 })
    } catch (error) {
      if (isUnknown(error)) return db.command({ isMaster: 1 })
      throw error
    }
  }
  return {
    now: async () => {
      const { localTime } = await answered(ask)
      return localTime instanceof Date ? new Date(localTime) : new Date()
    },
  }
}
