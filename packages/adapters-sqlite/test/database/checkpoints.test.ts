import { statSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWalCheckpoints, type WriteAheadLogCheckpoints } from '../../src/database/checkpoints.js'
import { groupCommit } from '../../src/database/group-commit.js'
import { openDatabase, type SqliteDatabase } from '../../src/database/sqlite-database.js'
import { folder } from '../folder.js'

describe('checkpoints in a thread', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let connection: InstanceType<typeof DatabaseSync>
  let checkpoints: WriteAheadLogCheckpoints
  let write: (run: () => unknown) => Promise<unknown>

  const open = (file: string, newThread?: () => never) => {
    connection = new DatabaseSync(place.file)
    connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (v)')
    checkpoints = startWalCheckpoints(connection, file, 50, newThread)
    write = groupCommit(connection, 1_000, () => {}, checkpoints).write
  }
  beforeEach(async () => {
    place = await folder()
  })
  afterEach(async () => {
    await checkpoints.close()
    if (connection.isOpen) connection.close()
    await place.remove()
  })

  const insert = () => write(() => connection.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(4_000)))
  const log = () => connection.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number; checkpointed: number }

  it('let the log restart while writes continue', async () => {
    open(place.file)
    let written = 0
    for (let again = 0, before = 0; again < 3; ) {
      await insert()
      written += 1
      const now = log().log
      if (now < before) again += 1
      before = now
    }
    expect(written).toBeGreaterThan(100)
    expect(connection.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: written })
  })

  it('let the log restart while another connection writes without a pause', async () => {
    open(place.file)
    const other = new DatabaseSync(place.file)
    let written = 0
    const insertThere = () =>
      checkpoints.elsewhere(async () => {
        await new Promise((resolve) => setImmediate(resolve))
        other.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(4_000))
        written += 1
      })
    let next = insertThere()
    for (let again = 0, before = 0; again < 3; ) {
      const last = next
      next = insertThere()
      await last
      const now = log().log
      if (now < before) again += 1
      before = now
    }
    await next
    expect(connection.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: written })
    other.close()
  })

  it('leave a file that is complete without its log', async () => {
    open(place.file)
    for (let n = 0; n < 60; n += 1) await insert()
    await checkpoints.close()
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(statSync(`${place.file}-wal`).size).toBe(0)
    const other: SqliteDatabase = openDatabase(place.file)
    expect(other.statement('SELECT count(*) AS n FROM t').get()).toEqual({ n: 60 })
    await other.close()
  })

  it('are made by the connection itself without a thread', async () => {
    open(`${place.path}/no/such/file`)
    for (let n = 0; n < 60; n += 1) await insert()
    while (connection.prepare('PRAGMA wal_autocheckpoint').get()?.wal_autocheckpoint === 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    expect(connection.prepare('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 1_000 })
    await insert()
  })

  it('are made by the connection itself if no thread can start', async () => {
    open(place.file, () => {
      throw new Error('ERR_WORKER_INIT_FAILED')
    })
    for (let n = 0; n < 60; n += 1) await insert()
    expect(connection.prepare('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 1_000 })
  })
})
