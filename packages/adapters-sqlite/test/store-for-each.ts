import { afterEach, beforeEach } from 'vitest'
import { openDatabase, type SqliteDatabase } from '../src/database/sqlite-database.js'
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

type Place = Awaited<ReturnType<typeof folder>>
type OpenFile = { readonly place: Place; readonly store: SqliteStore; readonly raw: SqliteDatabase }

/** A store on a file of its own, and another connection to the file. */
export const openFile = async (): Promise<OpenFile> => {
  const place = await folder()
  return { place, store: openSqliteStore({ file: place.file }), raw: openDatabase(place.file) }
}

export const closeFile = async ({ place, store, raw }: OpenFile): Promise<void> => {
  await Promise.all([raw.close(), store.close()])
  await place.remove()
}
