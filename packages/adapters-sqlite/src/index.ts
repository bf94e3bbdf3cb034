export { openSqliteStore, type SqliteStore } from './sqlite-store.js'
