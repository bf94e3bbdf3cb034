import type { StoreClock } from '@posthorn/core/ports'
import type { MongoDatabase } from './mongo-database.js'
import { answered } from './retried.js'

/** The clock of the primary, as its `hello` reports it: https://www.mongodb.com/docs/manual/reference/command/hello/ */
export const mongoClock = ({ db }: Pick<MongoDatabase, 'db'>): StoreClock => ({
  now: async () => {
    const { localTime } = await answered(() => db.command({ hello: 1 }))
    return new Date(localTime as Date)
  },
})
