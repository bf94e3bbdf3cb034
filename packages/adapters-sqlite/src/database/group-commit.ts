import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import type { WriteAheadLogCheckpoints } from './checkpoints.js'
import { type SqliteConnection, sqliteErrorCode } from './connection.js'

type Work = {
  readonly run: () => unknown
  readonly gathered: () => number
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** In ms: waits 30 s for another process's commit, trying every ms. */
const patience = 30_000
const interval = 1

/** After this number of callers, the next commit waits a turn: they often write again. */
const many = 8

/** In ms: then a commit takes no more work, and answering yields. */
const slice = 20

const none = () => 0

/** SQLITE_BUSY. */
export const isSqliteBusy = (error: unknown) => sqliteErrorCode(error) === 5

/** SQLITE_BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL: not caused by the data. */
const failuresOfStore = new Set([5, 6, 7, 8, 9, 10, 13, 14, 15])

const commitFailure = (error: unknown): unknown =>
  failuresOfStore.has(sqliteErrorCode(error) ?? 0) ? new StoreUnavailable(error) : error

/**
 * Work that arrives during a commit joins the next. A single caller does not wait.
 * @param undone called when work is undone
 */
export const groupCommit = (
  connection: SqliteConnection,
  busyTimeout: number,
  undone: () => void = () => {},
  checkpoints?: Pick<WriteAheadLogCheckpoints, 'committed' | 'pause'>,
) => {
  const step = (sql: string) => {
    const statement = connection.prepare(sql)
    return () => statement.run()
  }
  const [begin, commit, rollback] = [step('BEGIN IMMEDIATE'), step('COMMIT'), step('ROLLBACK')]
  const [savepoint, release, undo] = [step('SAVEPOINT work'), step('RELEASE work'), step('ROLLBACK TO work')]

  const waiting: Work[] = []
  let working: Promise<void> | undefined
  let lastGathered = 0

  /** Takes the write lock. SQLite's busy timeout would block the event loop. */
  const lock = async (): Promise<void> => {
    for (const until = performance.now() + patience; ; await pause(interval)) {
      connection.exec('PRAGMA busy_timeout = 0')
      try {
        begin()
        return
      } catch (error) {
        if (!isSqliteBusy(error) || performance.now() > until) throw error
      } finally {
        connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
      }
    }
  }

  /** Returns the function that answers the caller after the commit. */
  const attempted = ({ run, resolve, reject }: Work): (() => void) => {
    savepoint()
    try {
      const value = run()
      release()
      return () => resolve(value)
    } catch (error) {
      undone()
      // A full or broken disk makes SQLite undo the whole transaction by itself.
      if (!connection.isTransaction) throw error
      undo()
      release()
      return () => reject(error)
    }
  }

  const commitAll = async (): Promise<void> => {
    const refusal = await lock().then(
      () => undefined,
      (reason: unknown) => ({ reason }),
    )
    const works = refusal ? waiting.splice(0) : []
    const answers: (() => void)[] = []
    try {
      if (refusal) throw refusal.reason
      for (const until = performance.now() + slice; waiting.length > 0 && performance.now() < until; ) {
        const some = waiting.splice(0, 20)
        works.push(...some)
        answers.push(...some.map(attempted))
      }
      commit()
      lastGathered = works.reduce((sum, { gathered }) => sum + gathered(), 0)
      checkpoints?.committed()
    } catch (error) {
      undone()
      if (connection.isOpen && connection.isTransaction) rollback()
      const failure = commitFailure(error)
      for (const { reject } of works) reject(failure)
      return
    }
    let until = performance.now() + slice
    for (const answer of answers) {
      answer()
      // Lets the caller's continuation run.
      await Promise.resolve()
      if (performance.now() < until) continue
      await turn()
      until = performance.now() + slice
    }
  }

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      await turn()
      if (lastGathered >= many) await turn()
      await checkpoints?.pause()
      await commitAll()
    }
    working = undefined
  }

  return {
    /**
     * Durable when it resolves. An error undoes only this work; a failed commit rejects all.
     * @param gathered callers that share the work
     */
    write: <T>(run: () => T, gathered = none): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ run, gathered, resolve: resolve as Work['resolve'], reject })
        working ??= work()
      }),
    idle: async (): Promise<void> => {
      while (working) await working
    },
  }
}
