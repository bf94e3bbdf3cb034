export type { SentMongoCommand } from './connection/mongo-database.js'
export { type MongoStore, openMongoStore } from './mongo-store.js'
export { shardKeys } from './schema/mongo-schema.js'
export { shardCommands } from './schema/shard-commands.js'
