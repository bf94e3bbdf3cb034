import type { StoreClock } from '@posthorn/core/ports'
import { type Document, MongoServerError } from 'mongodb'
import type { MongoDatabase } from './mongo-database.js'
import { answered } from './retried.js'

/** https://www.mongodb.com/docs/manual/reference/error-codes/ (CommandNotFound) */
const isUnknown = (error: unknown) => error instanceof MongoServerError && error.code === 59

/**
 * The clock of the primary, as its `hello` reports it, or the older `isMaster` where a server of the protocol has no `hello`
 * (https://www.mongodb.com/docs/manual/reference/command/hello/). A server that reports no time is taken to agree with this machine.
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
