import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import type { Checkpoints } from './checkpoints.js'
import type { Connection } from './connection.js'

type Work = {
  readonly run: () => unknown
  readonly gathered: () => number
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Writes wait up to 30 s for another process's commit, and try the lock every millisecond. Both in ms. */
const patience = 30_000
const interval = 1

/** After a commit that served this many gathered callers, the next one waits a further turn of the event loop: they often write again. */
const many = 8

/** In ms. A commit accepts no more works after this time; answering callers yields to the event loop after it. */
const slice = 20

const none = () => 0

/** SQLITE_BUSY, extended codes included (https://sqlite.org/rescode.html). */
export const isBusy = (error: unknown) =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5

/** SQLITE_BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL: the written data are not the cause. */
const failuresOfStore = new Set([5, 6, 7, 8, 9, 10, 13, 14, 15])

/** The error that rejects all works of a failed commit. */
const commitFailure = (error: unknown): unknown =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  failuresOfStore.has(error.errcode & 0xff)
    ? new StoreUnavailable(error)
    : error

/**
 * Groups the writes of one connection into few commits: works that arrive during a commit go into the next one. Many callers share the
 * cost of durability, and a single caller does not wait.
 * @param undone called whenever work is undone
 * @param checkpoints notified of every commit; commits wait while it pauses them
 */
export const groupCommit = (
  connection: Connection,
  busyTimeout: number,
  undone: () => void = () => {},
  checkpoints?: Pick<Checkpoints, 'committed' | 'pause'>,
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

  /** Takes the write lock. SQLite's busy timeout would block the event loop while it waits. */
  const lock = async (): Promise<void> => {
    for (const until = performance.now() + patience; ; await pause(interval)) {
      connection.exec('PRAGMA busy_timeout = 0')
      try {
        begin()
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > until) throw error
      } finally {
        connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
      }
    }
  }

  /** Runs one work; an error undoes only this work. Returns the function that answers its caller once the commit is durable. */
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
     * Runs the synchronous work in the next commit and resolves with its value once the commit is durable. An error of the work undoes
     * only this work; a failed commit undoes and rejects all of its works.
     * @param gathered how many callers share the work: many make the next commit wait one turn of the event loop to gather more
     */
    write: <T>(run: () => T, gathered = none): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ run, gathered, resolve: resolve as Work['resolve'], reject })
        working ??= work()
      }),
    /** Resolves when no work is waiting for a commit. */
    idle: async (): Promise<void> => {
      while (working) await working
    },
  }
}
