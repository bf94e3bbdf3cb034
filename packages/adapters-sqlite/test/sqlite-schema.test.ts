import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { aContact, numberedId } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../src/database/sqlite-database.js'
import { openSqliteStore } from '../src/index.js'
import { schemaVersion } from '../src/sqlite-schema.js'
import { folder } from './folder.js'

let place: Awaited<ReturnType<typeof folder>>
beforeEach(async () => {
  place = await folder()
})
afterEach(() => place.remove())

const contactByKey = { projectId: numberedId(0xb), emailKey: 'ada@example.com' }

const withStore = async <T>(ask: (store: ReturnType<typeof openSqliteStore>) => Promise<T>): Promise<T> => {
  const store = openSqliteStore({ file: place.file })
  try {
    return await ask(store)
  } finally {
    await store.close()
  }
}

describe('a database file', () => {
  it('is created with its folders', async () => {
    const store = openSqliteStore({ file: join(place.path, 'a', 'b', 'posthorn.db') })
    await store.repositories.contacts.add(aContact())
    await store.close()
    expect((await readFile(join(place.path, 'a', 'b', 'posthorn.db'))).length).toBeGreaterThan(0)
  })

  it('keeps its data', async () => {
    await withStore(({ repositories, counters }) =>
      Promise.all([repositories.contacts.add(aContact()), counters.take([{ key: 'a', n: 7 }])]),
    )
    await withStore(async ({ repositories, counters }) => {
      expect(await repositories.contacts.get(contactByKey)).toStrictEqual(aContact())
      expect(await counters.used('a')).toBe(7)
    })
  })

  it('that is up to date is not written when opened', async () => {
    await withStore(({ repositories }) => repositories.contacts.add(aContact()))
    const before = await readFile(place.file)
    await withStore(async () => {})
    expect(await readFile(place.file)).toEqual(before)
  })
})

describe('a file of another version', () => {
  it.each([0, schemaVersion + 1])('is refused and unchanged: version %i', async (version) => {
    await withStore(({ repositories }) => repositories.contacts.add(aContact()))
    const database = openDatabase(place.file)
    database.alter(() => [`PRAGMA user_version = ${version}`])
    await database.close()
    const before = await readFile(place.file)
    expect(() => openSqliteStore({ file: place.file })).toThrow(
      `The database ${place.file} cannot be opened: its schema has version ${version}, and this version of Posthorn needs ${schemaVersion}. Nothing was changed. Run the version that wrote it, or choose a new file.`,
    )
    expect(await readFile(place.file)).toEqual(before)
  })
})

describe('an error on opening is explained to the operator:', () => {
  it('a file that is not a database, which stays unchanged', async () => {
    await writeFile(place.file, 'Dear diary, '.repeat(100))
    expect(() => openSqliteStore({ file: place.file })).toThrow(
      `The database ${place.file} cannot be opened: file is not a database.`,
    )
    expect(await readFile(place.file, 'utf8')).toBe('Dear diary, '.repeat(100))
  })

  it('a folder', () => {
    expect(() => openSqliteStore({ file: place.path })).toThrow(`The database ${place.path} cannot be opened: `)
  })

  it('a path below a file', async () => {
    await writeFile(place.file, '')
    expect(() => openSqliteStore({ file: join(place.file, 'posthorn.db') })).toThrow('cannot be opened: ')
  })
})
