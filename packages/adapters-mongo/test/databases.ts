import { openMongoDatabase } from '../src/connection/mongo-database.js'
import { databaseUrl } from './on-mongodb.js'

const log = () => {}

/** Does something to a database that the adapter would not do. */
export const withDatabase = async <T>(
  url: string,
  work: (database: Awaited<ReturnType<typeof openMongoDatabase>>) => Promise<T>,
): Promise<T> => {
  const database = await openMongoDatabase({ url, log })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

export const dropDatabase = (url: string): Promise<unknown> => withDatabase(url, ({ db }) => db.dropDatabase())

/**
 * Databases that are used one after the other: made with all their indexes once, and emptied for the next, which is many times
 * faster. `drop` is for the end.
 */
export const databases = () => {
  const made: string[] = []
  const free: string[] = []
  return {
    take: (): string => {
      const url = free.pop() ?? databaseUrl()
      if (!made.includes(url)) made.push(url)
      return url
    },
    give: async (url: string): Promise<void> => {
      await withDatabase(url, async ({ db }) => {
        const collections = await db.collections()
        await Promise.all(collections.map((collection) => collection.deleteMany({})))
      })
      free.push(url)
    },
    drop: async (): Promise<void> => {
      await Promise.all(made.map(dropDatabase))
    },
  }
}
