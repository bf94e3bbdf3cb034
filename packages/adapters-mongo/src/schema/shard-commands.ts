import { databaseNameIn } from '../connection/mongo-database.js'
import { shardKeys } from './mongo-schema.js'

/**
 * For mongosh, connected to a router, and a database without records.
 * https://www.mongodb.com/docs/manual/reference/method/sh.shardCollection/
 */
export const shardCommands = (url: string): readonly string[] => {
  const name = databaseNameIn(url)
  const collections = Object.entries(shardKeys).map(
    ([collection, key]) => `sh.shardCollection(${JSON.stringify(`${name}.${collection}`)}, ${JSON.stringify(key)})`,
  )
  return [`sh.enableSharding(${JSON.stringify(name)})`, ...collections]
}
