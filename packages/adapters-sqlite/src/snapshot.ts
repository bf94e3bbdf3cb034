import { closeSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { backup, DatabaseSync } from '@photostructure/sqlite'
import { type SqliteConnection, sqliteErrorCode } from './database/connection.js'

/** In ms. */
const busyTimeout = 10_000

/**
 * Consistent, while processes write. One step of SQLite's online backup, in a thread: the log cannot restart until the end. With several
 * steps, every commit of another connection would restart it. (`VACUUM INTO` is as fast, but occupies the calling thread.)
 * @throws Error of SQLite; the incomplete copy stays
 */
export const snapshotDatabase = async (file: string, to: string): Promise<void> => {
  closeSync(openSync(to, 'wx', 0o600))
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    await backup(connection, to, { rate: -1 })
  } finally {
    connection.close()
  }
  const copy = await open(to, 'r+')
  try {
    await copy.sync()
  } finally {
    await copy.close()
  }
}

/** SQLITE_FULL. */
export const isDiskFull = (error: unknown): boolean => sqliteErrorCode(error) === 13

/** `exec` leaves no statement: locks would stay until the last one is garbage-collected. */
export const readStoreFormatVersion = (connection: SqliteConnection): number => {
  let version = Number.NaN
  connection.function('found_version', (found: unknown) => {
    version = Number(found)
    return null
  })
  connection.exec('SELECT found_version(user_version) FROM pragma_user_version')
  return version
}

/** @throws Error for a file that is no database */
export const sqliteStoreVersionOf = (file: string): number => {
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  try {
    return readStoreFormatVersion(connection)
  } finally {
    connection.close()
  }
}
