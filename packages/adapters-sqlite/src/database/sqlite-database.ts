import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { startWalCheckpoints } from './checkpoints.js'
import { addSqlFunctions, inTransaction, type PreparedStatement, type SqliteConnection } from './connection.js'
import { groupCommit, isSqliteBusy } from './group-commit.js'
import { openReaders, type ReaderThreads } from './readers.js'

/** One connection to one file, with reader threads. Reads are synchronous; writes are durable when they resolve. */
export type SqliteDatabase = {
  readonly statement: (sql: string) => PreparedStatement
  readonly readers: ReaderThreads
  readonly write: <T>(work: () => T, gathered?: () => number) => Promise<T>
  /** For writes of other connections of this process. */
  readonly elsewhere: <T>(write: () => Promise<T>) => Promise<T>
  /** `forget` is called when a write is undone, to clear caches. */
  readonly onUndone: (forget: () => void) => void
  readonly alter: (statements: () => readonly string[]) => void
  readonly close: () => Promise<void>
}

/** In ms: a read's wait for another process. */
const busyTimeout = 10_000
/** Segments produce too many statements to cache all. */
const statementsKept = 300

/** When the new generation is full, the old one is dropped. */
const statementsOf = (connection: SqliteConnection) => {
  let prepared = new Map<string, PreparedStatement>()
  let before = new Map<string, PreparedStatement>()
  return (sql: string): PreparedStatement => {
    const known = prepared.get(sql)
    if (known) return known
    const found: PreparedStatement = before.get(sql) ?? connection.prepare(sql)
    if (prepared.size >= statementsKept / 2) {
      before = prepared
      prepared = new Map()
    }
    prepared.set(sql, found)
    return found
  }
}

const settings = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -16384;
PRAGMA journal_size_limit = 67108864;
`

/** SQLite refuses one of two processes that create a file. */
const set = (connection: SqliteConnection): void => {
  for (const until = performance.now() + busyTimeout; ; ) {
    try {
      connection.exec(settings)
      return
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/** Never opens an existing file: closing it would release this process's locks (https://sqlite.org/howtocorrupt.html, section 2.2). */
const makePrivate = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const connect = (file: string): SqliteConnection => {
  makePrivate(file)
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    set(connection)
    addSqlFunctions(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Creates a missing file for its owner only. Every commit syncs the log.
 * @throws Error if the file cannot be opened or is no database
 */
export const openDatabase = (file: string): SqliteDatabase => {
  const connection = connect(file)
  const forgetting: (() => void)[] = []
  const checkpoints = startWalCheckpoints(connection, file)
  const undone = () => {
    for (const forget of forgetting) forget()
  }
  const { write, idle } = groupCommit(connection, busyTimeout, undone, checkpoints)
  const readers = openReaders(file)
  return {
    statement: statementsOf(connection),
    readers,
    write,
    elsewhere: checkpoints.elsewhere,
    onUndone: (forget) => {
      forgetting.push(forget)
    },
    alter: (statements) =>
      inTransaction(connection, () => {
        for (const sql of statements()) connection.exec(sql)
      }),
    close: async () => {
      await readers.close()
      await idle()
      await checkpoints.close()
      if (!connection.isOpen) return
      // `close` would wait for garbage collection of the last statement.
      connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
      connection.close()
    },
  }
}

/** Whether this or another process has the file open. @throws Error for a file that is no database */
export const isOpenElsewhere = (file: string): boolean => {
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    if (isSqliteBusy(error)) return true
    throw error
  } finally {
    connection.close()
  }
}
