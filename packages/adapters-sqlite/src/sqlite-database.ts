import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'

export type Parameter = string | number | null
export type Row = Readonly<Record<string, unknown>>

type Statement = {
  run(...p: Parameter[]): { changes: number | bigint }
  get(...p: Parameter[]): Row | undefined
  all(...p: Parameter[]): Row[]
}

/** One connection to one file. Reads answer at once; writes are committed together and durable when they resolve. */
export type SqliteDatabase = {
  /** A prepared statement; the same text is prepared once. */
  readonly statement: (sql: string) => Statement
  /**
   * Runs the work inside the next commit. What it throws undoes this work alone and passes on; other works of the same
   * commit stand.
   */
  readonly write: <T>(work: () => T) => Promise<T>
  /** Runs statements that make or change tables, in one transaction, at once. */
  readonly alter: (work: (exec: (sql: string) => void) => void) => void
  readonly close: () => Promise<void>
}

type Pending = {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (reason: unknown) => void
}

/** How long a process waits for another's commit. */
const busyTimeout = 10_000

const open = (file: string): InstanceType<typeof DatabaseSync> => {
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
    const database = new DatabaseSync(file, { timeout: busyTimeout })
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536',
    )
    return database
  } catch (error) {
    throw new Error(`The database ${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** @throws Error with a message for the operator when the file cannot be opened */
export const openDatabase = (file: string): SqliteDatabase => {
  const database = open(file)
  database.function('lower_unicode', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? text.toLowerCase() : null,
  )
  const prepared = new Map<string, Statement>()
  const statement = (sql: string): Statement => {
    const known = prepared.get(sql)
    if (known) return known
    const made = database.prepare(sql) as unknown as Statement
    prepared.set(sql, made)
    return made
  }

  let pending: Pending[] = []
  let committing: Promise<void> | undefined

  const runOne = ({ work, reject }: Pending): (() => void) | undefined => {
    database.exec('SAVEPOINT work')
    try {
      const value = work()
      database.exec('RELEASE work')
      return value as () => void
    } catch (error) {
      database.exec('ROLLBACK TO work; RELEASE work')
      reject(error)
      return undefined
    }
  }

  /** All works that wait, in one commit. SQLite is synchronous: nothing else runs on this connection in between. */
  const commit = () => {
    const batch = pending
    pending = []
    const done: (() => void)[] = []
    try {
      database.exec('BEGIN IMMEDIATE')
      for (const one of batch) {
        let failed = false
        const value = runOne({
          ...one,
          reject: (reason) => {
            failed = true
            one.reject(reason)
          },
        })
        if (!failed) done.push(() => one.resolve(value as never))
      }
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      for (const { reject } of batch) reject(error)
      return
    }
    for (const resolve of done) resolve()
  }

  const soon = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        committing = undefined
        commit()
        resolve()
      })
    })

  return {
    statement,
    write: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        pending.push({ work, resolve: resolve as Pending['resolve'], reject })
        committing ??= soon()
      }),
    alter: (work) => {
      database.exec('BEGIN IMMEDIATE')
      try {
        work((sql) => database.exec(sql))
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    close: async () => {
      await committing
      if (database.isOpen) database.close()
    },
  }
}
