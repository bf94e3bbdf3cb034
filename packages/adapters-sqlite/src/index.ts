export { isOpenElsewhere } from './open-elsewhere.js'
export { openSqliteStore, type SqliteStore } from './sqlite-store.js'
