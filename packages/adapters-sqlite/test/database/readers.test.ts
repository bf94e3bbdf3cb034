import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SqlRow } from '../../src/database/connection.js'
import { openReaders, type ReaderThreads, type ReadSqlRows } from '../../src/database/readers.js'
import { sql } from '../../src/database/sql.js'
import { openDatabase, type SqliteDatabase } from '../../src/database/sqlite-database.js'
import { databaseThreadExitState, workerThreadTerminator } from '../../src/database/thread-end.js'
import { folder } from '../folder.js'

/** Counts to the number, which takes a while. */
const counting = (end: number, condition = '1') =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${end} AND ${condition}) SELECT count(*) AS n FROM n`
const long = counting(2_000_000)
const endless = counting(Number.MAX_SAFE_INTEGER, 'in_time()')

describe('reader threads', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let database: SqliteDatabase
  let readers: ReaderThreads
  let patient: ReaderThreads | undefined
  beforeEach(async () => {
    place = await folder()
    database = openDatabase(place.file)
    database.alter(() => ['CREATE TABLE t (v)'])
    // Patience with the other thread, so that two take part however busy the machine is.
    readers = openReaders(place.file, 200, 60_000)
  })
  afterEach(async () => {
    await Promise.all([readers.close(), patient?.close()])
    patient = undefined
    await database.close()
    await place.remove()
  })

  /** Other readers, with what goes on until the test ends: whether it is over already, or was given up. */
  const withEndless = async (begin: (readers: ReaderThreads) => Promise<unknown>) => {
    patient = openReaders(place.file, 600_000, 60_000)
    await Promise.all([patient.request('a')(counting(9)), patient.request('b')(counting(9))])
    let isOver = false
    const end = () => {
      isOver = true
    }
    begin(patient).then(end, end)
    return { ...patient, isOver: () => isOver }
  }

  it('see earlier commits', async () => {
    for (const n of [1, 2, 3]) {
      await database.write(() => database.statement('INSERT INTO t VALUES (?)').run(n))
      expect(await readers.request('a')(sql`SELECT max(v) AS v, ${'x'} AS given FROM t`)).toEqual([
        { v: n, given: 'x' },
      ])
    }
  })

  it('keep the calling thread free', async () => {
    const { isOver } = await withEndless(({ request }) => request('a')(endless))
    for (let turn = 0; turn < 10; turn += 1) await pause(1)
    expect(isOver()).toBe(false)
  })

  it('do not let one owner delay the others', async () => {
    const { request, isOver } = await withEndless((all) =>
      Promise.race(Array.from({ length: 4 }, () => all.request('a')(endless))),
    )
    expect(await request('b')(counting(9))).toEqual([{ n: 9 }])
    expect(isOver()).toBe(false)
  })

  it('let two owners with endless queries delay a third by at most a slice', async () => {
    const { request, isOver } = await withEndless((all) =>
      Promise.race(['a', 'b', 'a', 'b'].map((owner) => all.request(owner)(endless))),
    )
    for (let times = 0; times < 3; times += 1) expect(await request('c')(counting(9))).toEqual([{ n: 9 }])
    expect(isOver()).toBe(false)
  })

  it('continue a request before later requests of its owner', async () => {
    let early: ReadSqlRows | undefined
    const { isOver } = await withEndless((all) => {
      early = all.request('a')
      return Promise.race(['a', 'a', 'a'].map((owner) => all.request(owner)(endless)))
    })
    expect(await early?.(counting(9))).toEqual([{ n: 9 }])
    expect(isOver()).toBe(false)
  })

  it('pause a query within its snapshot, and resume it', async () => {
    await database.write(() => {
      for (let n = 1; n <= 100; n += 1) database.statement('INSERT INTO t VALUES (?)').run(n)
    })
    const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)'
    const sums = `${numbers} SELECT count(*) AS n, sum(v) AS v FROM t CROSS JOIN n WHERE in_time()`
    let isOver = false
    patient = openReaders(place.file, 600_000)
    const { request } = patient
    const several = Promise.all(['a', 'b', 'c', 'd'].map((owner) => request(owner)(sums))).finally(() => {
      isOver = true
    })
    for (let n = 0; !isOver; n += 1)
      await database.write(() => {
        database.statement('UPDATE t SET v = v - 1000 WHERE rowid = ?').run(1 + (n % 50))
        database.statement('UPDATE t SET v = v + 1000 WHERE rowid = ?').run(51 + (n % 50))
      })
    expect(await several).toEqual(Array(4).fill([{ n: 1_000_000, v: 50_500_000 }]))
  })

  it('end a paused query if another owner needs the thread', async () => {
    patient = openReaders(place.file, 600_000)
    const { request } = patient
    const heavy = Array.from({ length: 12 }, (_, n) => request(`heavy ${n}`)(endless))
    const refused = Promise.race(heavy).catch((error: unknown) => error)
    for (const one of heavy) one.catch(() => undefined)
    expect(await request('other')(counting(9))).toEqual([{ n: 9 }])
    expect(await refused).toMatchObject({ kind: 'busy', message: expect.stringContaining('made room') })
  })

  describe('with partitioned queries', () => {
    /** Takes some milliseconds for each part, so that there is work for two. */
    const sums = `SELECT sum(v) AS v, (${counting(3_000)}) FROM t WHERE rowid > ? AND rowid <= ?`
    const parts = Array.from({ length: 20 }, (_, n) => [n * 5, n * 5 + 5])
    const total = (rows: readonly SqlRow[]) => rows.reduce((sum, { v }) => sum + Number(v), 0)
    const nobodyElse = async () =>
      void (await Promise.all([readers.request('a')(counting(9)), readers.request('b')(counting(9))]))

    beforeEach(async () => {
      await database.write(() => {
        for (let n = 1; n <= 100; n += 1) database.statement('INSERT INTO t VALUES (?)').run(n)
      })
      await nobodyElse()
    })

    it('read the partitions in two threads', async () => {
      const read = async () => {
        const { rows, threads } = await readers
          .request('a')
          .parts(`SELECT ? AS part, n FROM (${long})`, [[1], [2], [3]])
        expect(rows).toEqual([1, 2, 3].map((part) => ({ part, n: 2_000_000 })))
        return threads
      }
      // A second thread that gets no processor leaves all of a query to the first.
      while ((await read()) < 2) await pause(1)
    })

    it('see one snapshot in both threads, whoever writes', async () => {
      let isOver = false
      const move = async () => {
        for (let n = 0; !isOver; n += 1)
          await database.write(() => {
            database.statement('UPDATE t SET v = v - 1000 WHERE rowid = ?').run(1 + (n % 50))
            database.statement('UPDATE t SET v = v + 1000 WHERE rowid = ?').run(51 + (n % 50))
          })
      }
      const moved = move()
      let together = 0
      try {
        for (let n = 0; n < 50 || together === 0; n += 1) {
          const { rows, threads } = await readers.request('a').parts(sums, parts)
          expect(total(rows)).toBe(5_050)
          together += threads - 1
        }
      } finally {
        isOver = true
        await moved
      }
    })

    it('use one thread if the other is taken', async () => {
      const [other, own] = await Promise.allSettled([
        readers.request('b')(endless),
        readers.request('a').parts(sums, parts),
      ])
      expect(other.status).toBe('rejected')
      const { rows, threads } = own.status === 'fulfilled' ? own.value : { rows: [], threads: 0 }
      expect([total(rows), threads]).toEqual([5_050, 1])
    })

    it('release the second thread for other owners', async () => {
      // The first to be taken ends at once, the last never: it is the first thread's, as the second leaves before.
      const upTo = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ? AND in_time()) SELECT count(*) AS n FROM n`
      const several = [...Array.from({ length: 10_000 }, () => [3_000]), [Number.MAX_SAFE_INTEGER]]
      const { request, isOver } = await withEndless((all) => all.request('a').parts(upTo, several))
      expect(await request('b')(counting(9))).toEqual([{ n: 9 }])
      expect(isOver()).toBe(false)
    })

    it('end them together, report errors, and continue', async () => {
      await expect(readers.request('a').parts(endless, [[], []])).rejects.toMatchObject({ kind: 'busy' })
      await expect(readers.request('a').parts('SELECT nowhere', [[], []])).rejects.toThrow('no such column: nowhere')
      const { rows, threads } = await readers.request('a').parts(`${counting(3)}`, [[], []])
      expect([rows, threads]).toEqual([[{ n: 3 }, { n: 3 }], expect.any(Number)])
    })

    it('end them when the readers close', async () => {
      const refused = Promise.allSettled([readers.request('a').parts(endless, [[], [], []])])
      await readers.close()
      expect(await refused).toMatchObject([{ reason: { message: 'The database is closed' } }])
    })
  })

  describe('a query’s second thread', () => {
    const begun = 2
    const parts = [[1], [2]]
    let worker: Worker
    let end: () => Promise<void>
    beforeEach(() => {
      worker = new Worker(new URL('../../src/database/reader-thread.js', import.meta.url), {
        workerData: {
          ...{ file: place.file, exit: databaseThreadExitState },
          ...{ stop: new Int32Array(new SharedArrayBuffer(4)), control: new Int32Array(new SharedArrayBuffer(8)) },
        },
      })
      end = workerThreadTerminator(worker)
    })
    afterEach(() => end())

    /** What it reads when it has looked, and that is done before the first has begun. */
    const readAfter = async (work: () => Promise<unknown>) => {
      const sharing = new Int32Array(new SharedArrayBuffer(8))
      const asked = { sql: 'SELECT ? AS part', parts, sharing, isShared: true, isFirst: false, milliseconds: 10_000 }
      worker.postMessage(asked)
      await vi.waitUntil(() => Atomics.load(sharing, 1) === 1, { timeout: 30_000, interval: 1 })
      await work()
      Atomics.store(sharing, 1, begun)
      Atomics.notify(sharing, 1)
      const [{ rows }] = await once(worker, 'message')
      return rows
    }

    it('reads partitions of the same snapshot', async () => {
      // It waits for the first a second at the most.
      await expect
        .poll(() => readAfter(async () => {}))
        .toEqual([
          [0, [{ part: 1 }]],
          [1, [{ part: 2 }]],
        ])
    })

    it('reads none after another commit', async () => {
      const rows = await readAfter(() => database.write(() => database.statement('INSERT INTO t VALUES (1)').run()))
      expect(rows).toEqual([])
    })
  })

  it('end a query that is too slow, and continue', async () => {
    await expect(readers.request('a')(endless)).rejects.toMatchObject({ kind: 'busy' })
    expect(await readers.request('a')(counting(3))).toEqual([{ n: 3 }])
  })

  it('report a query’s error, and continue', async () => {
    await expect(readers.request('a')('SELECT nowhere')).rejects.toThrow('no such column: nowhere')
    await expect(readers.request('a')("INSERT INTO t VALUES ('x')")).rejects.toThrow(/readonly/)
    expect(await readers.request('a')(counting(3))).toEqual([{ n: 3 }])
  })

  it('answer no queries after they are closed', async () => {
    const all = [readers.request('a')(endless), readers.request('b')(endless), readers.request('a')(long)]
    const refused = Promise.allSettled(all)
    await readers.close()
    expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(readers.request('a')(counting(3))).rejects.toThrow('closed')
  })

  const ended = (script: string, ...args: readonly string[]) => {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const node = ['--conditions=@posthorn/source', '--import', 'tsx', path, place.file, ...args]
    return once(spawn(process.execPath, node, { stdio: ['ignore', 'inherit', 'inherit'] }), 'close')
  }

  it('keep the process alive if they are closed in the middle of queries', async () => {
    expect(await ended('closing-reader.ts', '10')).toEqual([0, null])
  })

  it('let the process exit while threads start, with its own exit code', async () => {
    for (let times = 0; times < 3; times += 1) expect(await ended('starting-reader.ts')).toEqual([3, null])
  })

  it('let the process exit in the middle of queries, with its own exit code', async () => {
    expect(await ended('exiting-reader.ts')).toEqual([3, null])
  })
})
