import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase, type SqliteDatabase } from '../../src/database/sqlite-database.js'
import { folder } from '../folder.js'

describe('grouped writes', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let one: SqliteDatabase
  let other: SqliteDatabase

  beforeEach(async () => {
    place = await folder()
    one = openDatabase(place.file)
    one.alter(() => ['CREATE TABLE t (n INTEGER UNIQUE)'])
    other = openDatabase(place.file)
  })
  afterEach(async () => {
    await Promise.all([one.close(), other.close()])
    await place.remove()
  })

  const insert = (database: SqliteDatabase, n: number) => () => database.statement('INSERT INTO t VALUES (?)').run(n)
  const numbers = (database: SqliteDatabase) =>
    database
      .statement('SELECT n FROM t ORDER BY n')
      .all()
      .map(({ n }) => n)

  /** How often anybody has committed a change, as the other connection sees it. */
  const commits = () => Number(other.statement('PRAGMA data_version').get()?.data_version)

  it('are synced to the disk at every commit', () => {
    expect(one.statement('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' })
    expect(one.statement('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 })
  })

  it('share one commit', async () => {
    const before = commits()
    const all = Promise.all(Array.from({ length: 50 }, (_, n) => one.write(insert(one, n))))
    let seen = 0
    const watching = one.write(() => {
      seen = numbers(other).length
    })
    await Promise.all([all, watching])
    expect(seen).toBe(0)
    expect(numbers(other)).toHaveLength(50)
    expect(commits() - before).toBe(1)
  })

  it('wait for another turn of the event loop only after a commit of many writes', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    /** Whether what is asked for a turn later goes with it. */
    const isShared = async (first: number) => {
      await turn()
      const now = one.write(insert(one, first))
      const later = turn().then(() => one.write(insert(one, first + 1)))
      await now
      const found = numbers(other).includes(first + 1)
      await later
      return found
    }
    await Promise.all(Array.from({ length: 20 }, (_, n) => one.write(insert(one, n))))
    expect(await isShared(100)).toBe(false)
    await one.write(insert(one, 200), () => 20)
    expect(await isShared(300)).toBe(true)
    expect(await isShared(400)).toBe(false)
  })

  it('are visible to everybody when they resolve, in order', async () => {
    const resolved: number[] = []
    await Promise.all(
      [3, 1, 2].map(async (n) => {
        await one.write(insert(one, n))
        expect(numbers(other)).toContain(n)
        resolved.push(n)
      }),
    )
    expect(resolved).toEqual([3, 1, 2])
  })

  it('fail alone: one is rolled back, the others stay', async () => {
    const outcomes = await Promise.allSettled([
      one.write(insert(one, 1)),
      one.write(() => {
        insert(one, 2)()
        throw new RangeError('not this way')
      }),
      one.write(insert(one, 1)),
      one.write(insert(one, 3)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: new RangeError('not this way') })
    expect(numbers(other)).toEqual([1, 3])
  })

  it('all fail with their commit, and leave nothing half done', async () => {
    one.alter(() => [
      'PRAGMA foreign_keys = ON',
      'CREATE TABLE parents (id INTEGER PRIMARY KEY)',
      'CREATE TABLE children (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)',
    ])
    const outcomes = await Promise.allSettled([
      one.write(insert(one, 1)),
      one.write(() => one.statement('INSERT INTO children VALUES (7)').run()),
      one.write(insert(one, 2)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(numbers(other)).toEqual([])
    await one.write(insert(one, 4))
    expect(numbers(other)).toEqual([4])
  })

  it('may request further writes, which are committed afterwards', async () => {
    let further: Promise<unknown> = Promise.resolve()
    await one.write(() => {
      insert(one, 1)()
      further = one.write(insert(one, 2))
    })
    await further
    expect(numbers(other)).toEqual([1, 2])
  })

  it('wait for another process without blocking this one', async () => {
    other.statement('BEGIN IMMEDIATE').get()
    insert(other, 1)()
    const waiting = one.write(insert(one, 2))
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(numbers(one)).toEqual([])
    other.statement('COMMIT').get()
    await waiting
    expect(numbers(one)).toEqual([1, 2])
  })

  it('are finished before the file is closed, and refused afterwards', async () => {
    const last = one.write(insert(one, 1))
    await one.close()
    await last
    expect(numbers(other)).toEqual([1])
    await expect(one.write(() => 2)).rejects.toThrow('not open')
    await one.close()
  })

  it('work with many different statements', async () => {
    for (let n = 0; n < 1000; n += 1) one.statement(`SELECT ${n} AS n`).get()
    await one.write(insert(one, 1))
    expect(numbers(other)).toEqual([1])
  })
})
