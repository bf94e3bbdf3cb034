import { openMongoDatabase } from '../src/connection/mongo-database.js'
import { databaseUrl } from './on-mongodb.js'

/** An empty database, dropped when it is closed. `another` is a second client on it, as another process would have. */
export const anOpenDatabase = async () => {
  const url = databaseUrl()
  const log = () => {}
  const { db, close } = await openMongoDatabase({ url, log })
  return {
    db,
    another: () => openMongoDatabase({ url, log }),
    close: async () => {
      await db.dropDatabase()
      await close()
    },
  }
}
