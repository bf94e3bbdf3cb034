import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openReaders, type Readers } from '../../src/database/readers.js'
import { openDatabase, type SqliteDatabase } from '../../src/database/sqlite-database.js'
import { folder } from '../folder.js'

/** Counts to the number, which takes a while. */
const counting = (end: number, condition = '1') =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${end} AND ${condition}) SELECT count(*) AS n FROM n`
const long = counting(2_000_000)
const endless = counting(Number.MAX_SAFE_INTEGER, 'in_time()')

describe('readers', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let database: SqliteDatabase
  let readers: Readers
  beforeEach(async () => {
    place = await folder()
    database = openDatabase(place.file)
    database.alter(() => ['CREATE TABLE t (v)'])
    readers = openReaders(place.file, 200)
  })
  afterEach(async () => {
    await readers.close()
    await database.close()
    await place.remove()
  })

  const ends = async (...reads: readonly (readonly [name: string, rows: Promise<unknown>])[]) => {
    const order: string[] = []
    await Promise.all(reads.map(([name, rows]) => rows.then(() => order.push(name))))
    return order
  }

  it('see what was committed before', async () => {
    for (const n of [1, 2, 3]) {
      await database.write(() => database.statement('INSERT INTO t VALUES (?)').run(n))
      expect(await readers.read('a', 'SELECT max(v) AS v, ? AS given FROM t', 'x')).toEqual([{ v: n, given: 'x' }])
    }
  })

  it('leave the thread that asks free meanwhile', async () => {
    let turns = 0
    const clock = setInterval(() => {
      turns += 1
    }, 1)
    await readers.read('a', long)
    clearInterval(clock)
    expect(turns).toBeGreaterThan(5)
  })

  it('let no owner keep the others waiting, however much it asks', async () => {
    await Promise.all([readers.read('a', counting(9)), readers.read('b', counting(9))])
    const several = ['a1', 'a2', 'a3', 'a4'].map((name) => [name, readers.read('a', long)] as const)
    expect(await ends(...several, ['b', readers.read('b', counting(9))])).toEqual(['b', 'a1', 'a2', 'a3', 'a4'])
  })

  it('give up a query that is not in time, and go on', async () => {
    await expect(readers.read('a', endless)).rejects.toMatchObject({ kind: 'busy' })
    expect(await readers.read('a', counting(3))).toEqual([{ n: 3 }])
  })

  it('tell what is wrong with a query, and go on', async () => {
    await expect(readers.read('a', 'SELECT nowhere')).rejects.toThrow('no such column: nowhere')
    await expect(readers.read('a', "INSERT INTO t VALUES ('x')")).rejects.toThrow(/readonly/)
    expect(await readers.read('a', counting(3))).toEqual([{ n: 3 }])
  })

  it('answer nobody any more once they are closed', async () => {
    const all = [readers.read('a', endless), readers.read('a', long), readers.read('b', endless)]
    const refused = Promise.allSettled(all)
    await readers.close()
    expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(readers.read('a', counting(3))).rejects.toThrow('closed')
  })
})
