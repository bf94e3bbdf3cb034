import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KeyTaken } from '@posthorn/core/ports/storage'
import { aContact, aSenderIdentity, idOf } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/database/sqlite-database.js'
import { openSqliteStore } from '../../src/index.js'
import { schemaVersion } from '../../src/schema/sqlite-schema.js'
import { folder } from '../folder.js'

let place: Awaited<ReturnType<typeof folder>>
beforeEach(async () => {
  place = await folder()
})
afterEach(() => place.remove())

const contactByKey = { projectId: idOf(0xb), emailKey: 'ada@example.com' }

/** Makes the file, and then does something to it that this program would not do. */
const tamper = async (...statements: readonly string[]) => {
  const store = openSqliteStore({ file: place.file })
  await store.repositories.contacts.add(aContact())
  await store.repositories.senderIdentities.add(aSenderIdentity())
  await store.close()
  const database = openDatabase(place.file)
  database.alter(() => statements)
  await database.close()
}

const withStore = async <T>(ask: (store: ReturnType<typeof openSqliteStore>) => Promise<T>): Promise<T> => {
  const store = openSqliteStore({ file: place.file })
  try {
    return await ask(store)
  } finally {
    await store.close()
  }
}

describe('a file', () => {
  it('is made, with the folders above it', async () => {
    const store = openSqliteStore({ file: join(place.path, 'a', 'b', 'posthorn.db') })
    await store.repositories.contacts.add(aContact())
    await store.close()
    expect((await readFile(join(place.path, 'a', 'b', 'posthorn.db'))).length).toBeGreaterThan(0)
  })

  it('is found as it was left', async () => {
    await withStore(({ repositories, counters }) =>
      Promise.all([repositories.contacts.add(aContact()), counters.take([{ key: 'a', n: 7 }])]),
    )
    await withStore(async ({ repositories, counters }) => {
      expect(await repositories.contacts.get(contactByKey)).toStrictEqual(aContact())
      expect(await counters.used('a')).toBe(7)
    })
  })

  it('that is up to date is not written to when it is opened', async () => {
    await withStore(({ repositories }) => repositories.contacts.add(aContact()))
    const before = await readFile(place.file)
    await withStore(async () => {})
    expect(await readFile(place.file)).toEqual(before)
  })
})

describe('a file of an older program', () => {
  it('gets the columns and indexes that the manifest has since, filled', async () => {
    await tamper(
      'DROP INDEX "senderIdentities_projectId_emailKey_region_key"',
      'ALTER TABLE "senderIdentities" DROP COLUMN "emailKey"',
      'DROP TABLE segments',
    )
    await withStore(async ({ repositories: { senderIdentities, segments } }) => {
      const { projectId, emailKey } = aSenderIdentity()
      expect(await senderIdentities.get({ projectId, emailKey })).toStrictEqual(aSenderIdentity())
      await expect(senderIdentities.add(aSenderIdentity({ _id: idOf(2) }))).rejects.toBeInstanceOf(KeyTaken)
      expect(await segments.get({})).toBeUndefined()
    })
  })

  it('loses the unique keys that the manifest no longer has', async () => {
    await tamper('CREATE UNIQUE INDEX "contacts_createdAt_key" ON contacts ("createdAt")')
    await withStore(async ({ repositories: { contacts } }) => {
      const second = aContact({ _id: idOf(2), email: 'bea@example.com' })
      await contacts.add(second)
      expect(await contacts.get({ _id: idOf(2) })).toStrictEqual(second)
    })
  })
})

describe('a file of a newer program', () => {
  it.each([
    ['has a higher version', `PRAGMA user_version = ${schemaVersion + 1}`],
    ['has a column that is unknown', 'ALTER TABLE contacts ADD COLUMN "nickname"'],
  ])('which %s is not opened, and nothing is changed', async (_, statement) => {
    await tamper(statement)
    const before = await readFile(place.file)
    expect(() => openSqliteStore({ file: place.file })).toThrow(
      `The database ${place.file} cannot be opened: it was written by a newer version of Posthorn. Nothing was changed: run that version, or a later one.`,
    )
    expect(await readFile(place.file)).toEqual(before)
  })
})

describe('what cannot be opened is refused in words for the operator:', () => {
  it('a file that is no database, which is left alone', async () => {
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
