import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { openCheckpoints } from './checkpoints.js'
import type { Connection } from './connection.js'
import { groupCommit, isBusy } from './group-commit.js'
import { lowerUnicode } from './lower-unicode.js'
import { openReaders, type Readers } from './readers.js'
import type { Statement } from './statement.js'

/** One connection to one file, and readers beside it. Reads answer at once; writes are committed together and durable when they resolve. */
export type SqliteDatabase = {
  /** A prepared statement; the last texts asked for stay prepared. */
  readonly statement: (sql: string) => Statement
  /** For what looks at many rows. */
  readonly readers: Readers
  /** Runs the work inside the next commit: see `groupCommit`. */
  readonly write: <T>(work: () => T, gathered?: () => number) => Promise<T>
  /** Runs a write of another connection of this process, so that checkpoints know of it. */
  readonly elsewhere: <T>(write: () => Promise<T>) => Promise<T>
  /** Calls it whenever something that was written is undone: what was remembered of it is to be forgotten. */
  readonly onUndone: (forget: () => void) => void
  /** Runs statements that make or change tables, in one transaction, at once. */
  readonly alter: (statements: () => readonly string[]) => void
  /** Waits for what is to be committed, and closes the file. */
  readonly close: () => Promise<void>
}

/** How long a read or the opening of the file waits for another process, in milliseconds. */
const busyTimeout = 10_000
/** Texts of statements vary with the conditions of segments: not all of them can be kept. */
const statementsKept = 300

/** The statements used last, ready to run: those of this half, and of the half before it what is not used again goes. */
const statementsOf = (connection: Connection) => {
  let prepared = new Map<string, Statement>()
  let before = new Map<string, Statement>()
  return (sql: string): Statement => {
    const known = prepared.get(sql)
    if (known) return known
    const found: Statement = before.get(sql) ?? connection.prepare(sql)
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

/** Two processes that make the same file at once: the one that SQLite refuses looks again, 10 ms later. */
const set = (connection: Connection): void => {
  for (const until = performance.now() + busyTimeout; ; ) {
    try {
      connection.exec(settings)
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/**
 * Makes a file that is missing for its owner alone; SQLite gives those beside it the same mode. One that is there is not opened:
 * closing it would take this process's locks from it (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
const makePrivate = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const connect = (file: string): Connection => {
  makePrivate(file)
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    set(connection)
    connection.function('lower_unicode', { deterministic: true }, lowerUnicode)
    // Here only what is short is read; the readers' threads have a clock.
    connection.function('in_time', () => 1)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Opens the file, or makes it and its folder, for their owner alone. Its write-ahead log is synced at every commit.
 * @throws Error when the file cannot be opened or is no database
 */
export const openDatabase = (file: string): SqliteDatabase => {
  const connection = connect(file)
  const forgetting: (() => void)[] = []
  const checkpoints = openCheckpoints(connection, file)
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
    alter: (statements) => {
      connection.exec('BEGIN IMMEDIATE')
      try {
        for (const sql of statements()) connection.exec(sql)
        connection.exec('COMMIT')
      } catch (error) {
        if (connection.isTransaction) connection.exec('ROLLBACK')
        throw error
      }
    },
    close: async () => {
      await readers.close()
      await idle()
      await checkpoints.close()
      if (!connection.isOpen) return
      // Closing brings the log into the file by itself, but not before the last statement is collected as garbage.
      connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
      connection.close()
    },
  }
}
