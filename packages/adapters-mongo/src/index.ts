export { type MongoStore, openMongoStore } from './mongo-store.js'
