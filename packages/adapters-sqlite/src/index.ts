export { isOpenElsewhere } from './database/sqlite-database.js'
export { openSqliteStore, type SqliteStore } from './sqlite-store.js'
