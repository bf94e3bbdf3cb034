import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { addSqlFunctions, inTransaction, type SqliteConnection } from './database/connection.js'
import { isSqliteBusy } from './database/group-commit.js'
import { readStoreFormatVersion, sqliteStoreVersionOf } from './snapshot.js'

/** `run` is in a transaction: it begins and commits none. */
export type Migration = {
  readonly from: number
  readonly to: number
  readonly run: (exec: (sql: string) => void) => void
}

/** Each from one version to the next; none is ever removed or changed after a release. */
export const migrations: readonly Migration[] = []

/** In ms. */
const busyTimeout = 1_000

const connect = (file: string): SqliteConnection => {
  const connection = new DatabaseSync(file, { timeout: busyTimeout })
  addSqlFunctions(connection)
  return connection
}

/** Undefined if no steps lead there. */
export const migrationPath = <S extends Pick<Migration, 'from' | 'to'>>(
  steps: readonly S[],
  from: number,
  to: number,
): readonly S[] | undefined => {
  if (from === to) return []
  const step = steps.find((one) => one.from === from && one.to > from && one.to <= to)
  const rest = step && migrationPath(steps, step.to, to)
  return step && rest && [step, ...rest]
}

/** Until the connection closes. @throws Error if another process has the file open */
const lock = (connection: SqliteConnection): void => {
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    if (!isSqliteBusy(error)) throw error
    throw new Error('it has to be migrated, and another process has it open. Stop all processes, then start one')
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Beside the file, for its owner alone; replaces an earlier one. @throws Error */
const keepCopy = (connection: SqliteConnection, file: string, version: number): string => {
  const copy = `${file}.version-${version}`
  const draft = `${copy}.part`
  try {
    rmSync(draft, { force: true })
    closeSync(openSync(draft, 'wx', 0o600))
    connection.exec(`VACUUM INTO ${quoted(draft)}`)
    const check = connect(draft)
    try {
      const found = check.prepare('PRAGMA integrity_check(1)').get()?.integrity_check
      if (found !== 'ok') throw new Error(String(found))
    } finally {
      check.close()
    }
    chmodSync(draft, 0o600)
    renameSync(draft, copy)
    return copy
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`it has to be migrated, and could not be backed up before that to ${copy}: ${reason}`, {
      cause: error,
    })
  }
}

const carryOut = (connection: SqliteConnection, path: readonly Migration[], copy: string): void => {
  try {
    inTransaction(connection, () => {
      for (const { to, run } of path) {
        run((sql) => connection.exec(sql))
        connection.exec(`PRAGMA user_version = ${to}`)
      }
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`its migration failed, and nothing was changed: ${reason}. A copy is ${copy}`, { cause: error })
  }
}

/**
 * Only if steps lead to the version, and no other process has the file open. Keeps the old file as `<file>.version-<n>`.
 * @throws Error for the operator; nothing was changed
 */
export const migrateSqliteSchema = (file: string, version: number, steps: readonly Migration[] = migrations): void => {
  if (steps.length === 0 || !existsSync(file)) return
  if (!migrationPath(steps, sqliteStoreVersionOf(file), version)?.length) return
  const connection = connect(file)
  try {
    lock(connection)
    // Another process may have been first.
    const before = readStoreFormatVersion(connection)
    const path = migrationPath(steps, before, version) ?? []
    if (path.length > 0) carryOut(connection, path, keepCopy(connection, file, before))
  } finally {
    connection.close()
  }
}
