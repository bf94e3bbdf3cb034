import { join } from 'node:path'
import { inMemoryStore } from '@posthorn/testkit'
import { afterAll } from 'vitest'
import { temporaryDirectory } from '../../../../tests/server-process.js'
import { openStore } from '../../src/store.js'
import { copyingSuite } from './copying-suite.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

let made = 0
const onSqlite = () => {
  made += 1
  const place = join(data.path, String(made))
  return openStore(
    { store: 'sqlite', mongodbUrl: undefined },
    { database: join(place, 'posthorn.db'), files: join(place, 'files') },
    () => {},
  )
}

copyingSuite('from memory to memory', async () => [inMemoryStore(), inMemoryStore()])
copyingSuite('from memory to SQLite', async () => [inMemoryStore(), await onSqlite()])
copyingSuite('from SQLite to SQLite', async () => [await onSqlite(), await onSqlite()])
