import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../src/database/sqlite-database.js'
import { checkStoreFile, openSqliteStore, schemaVersion, sqliteStoreVersionOf } from '../src/index.js'
import { type Migration, migrateSqliteSchema, migrationPath, migrations } from '../src/migrations.js'
import { folder } from './folder.js'

/** Written by version 2. A later version of the format is tested with this file, and adds one of its own. */
const fixture = new URL('../../../tests/fixtures/store-v2.db.gz', import.meta.url)

let place: Awaited<ReturnType<typeof folder>>
beforeEach(async () => {
  place = await folder()
  writeFileSync(place.file, gunzipSync(readFileSync(fixture)))
})
afterEach(() => place.remove())

const note: Migration = {
  from: 2,
  to: 3,
  run: (exec) => exec('CREATE TABLE notes (text TEXT NOT NULL); INSERT INTO notes VALUES (1)'),
}
const more: Migration = { from: 3, to: 4, run: (exec) => exec("INSERT INTO notes VALUES ('more')") }

/** By `exec`: a statement would keep the file open for a while. */
const notesIn = (file: string): readonly string[] => {
  const notes: string[] = []
  const connection = new DatabaseSync(file)
  connection.function('note', (text: unknown) => {
    notes.push(String(text))
    return null
  })
  try {
    connection.exec('SELECT note(text) FROM notes')
    return notes
  } finally {
    connection.close()
  }
}

describe('a store that version 2 wrote', () => {
  it('opens, and everything is there', async () => {
    const { repositories, close } = openSqliteStore({ file: place.file })
    expect(
      await repositories.contacts.list({ where: {}, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 }),
    ).toEqual(expect.objectContaining({ count: 610 }))
    await close()
    expect(sqliteStoreVersionOf(place.file)).toBe(schemaVersion)
    expect(checkStoreFile(place.file, () => true)).toMatchObject({
      problems: [],
      counts: { campaigns: 2, projects: 2 },
    })
  })
})

describe('a migration', () => {
  it('carries out the steps in order, after a copy of the file, which its owner alone can read', () => {
    migrateSqliteSchema(place.file, 4, [more, note])
    expect(sqliteStoreVersionOf(place.file)).toBe(4)
    expect(notesIn(place.file)).toEqual(['1', 'more'])
    const copy = `${place.file}.version-2`
    expect(sqliteStoreVersionOf(copy)).toBe(2)
    expect(checkStoreFile(copy, () => true).problems).toEqual([])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    migrateSqliteSchema(place.file, 4, [more, note])
    expect(existsSync(`${place.file}.version-4`)).toBe(false)
  })

  it('that fails changes nothing', () => {
    const broken: Migration = {
      from: 3,
      to: 4,
      run: () => {
        throw new Error('The dog ate it')
      },
    }
    expect(() => migrateSqliteSchema(place.file, 4, [note, broken])).toThrow(
      `its migration failed, and nothing was changed: The dog ate it. A copy is ${place.file}.version-2`,
    )
    expect(sqliteStoreVersionOf(place.file)).toBe(2)
    expect(() => notesIn(place.file)).toThrow('no such table')
    migrateSqliteSchema(place.file, 3, [note])
    expect(sqliteStoreVersionOf(place.file)).toBe(3)
  })

  it('waits for no other process: it is refused while one has the file open', async () => {
    const other = openDatabase(place.file)
    other.statement('SELECT 1 FROM sqlite_schema').get()
    expect(() => migrateSqliteSchema(place.file, 3, [note])).toThrow('Stop all processes, then start one')
    await other.close()
    expect(sqliteStoreVersionOf(place.file)).toBe(2)
  })

  it('is refused if the file cannot be copied before', () => {
    mkdirSync(`${place.file}.version-2.part`)
    expect(() => migrateSqliteSchema(place.file, 3, [note])).toThrow('could not be backed up before that')
    expect(sqliteStoreVersionOf(place.file)).toBe(2)
  })

  it('leaves alone what no steps lead from, a newer file, and no file', () => {
    const before = readFileSync(place.file)
    migrateSqliteSchema(place.file, 4, [more])
    migrateSqliteSchema(place.file, 1, [note, more])
    migrateSqliteSchema(`${place.file}-none`, 3, [note])
    expect(existsSync(`${place.file}-none`)).toBe(false)
    expect(readFileSync(place.file).equals(before)).toBe(true)
    expect(migrationPath([note, more], 2, 4)).toEqual([note, more])
    expect(migrationPath([note], 2, 4)).toBeUndefined()
  })
})

it('steps lead to this version from every earlier one that has a step', () => {
  for (const { from } of migrations) expect(migrationPath(migrations, from, schemaVersion)).toBeDefined()
})
