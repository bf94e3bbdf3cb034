import { afterEach, beforeEach } from 'vitest'
import { openSqliteStore, type SqliteStore } from '../src/index.js'
import { folder } from './folder.js'

/** A store on a file of its own for each test of whoever calls it, to be asked for anew in each. */
export const storeForEach = (): (() => SqliteStore) => {
  let place: Awaited<ReturnType<typeof folder>>
  let store: SqliteStore
  beforeEach(async () => {
    place = await folder()
    store = openSqliteStore({ file: place.file })
  })
  afterEach(async () => {
    await store.close()
    await place.remove()
  })
  return () => store
}
