export { isOpenElsewhere } from './database/open-elsewhere.js'
export { openSqliteStore, type SqliteStore } from './sqlite-store.js'
