import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { StoreUnavailable } from '@posthorn/core/ports'
import type { Checkpoints } from './checkpoints.js'
import type { Connection } from './connection.js'

type Work = {
  readonly run: () => unknown
  readonly gathered: () => number
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** How long writes wait for another process to commit, and how often they look, in milliseconds. */
const patience = 30_000
const interval = 1

/** After a commit with so many gathered works, the next waits for one more turn of the event loop: who was just answered asks again. */
const many = 8

/** After so many milliseconds of work a commit takes up no more, and after so many of answering, others have their turn. */
const slice = 20

const none = () => 0

/** SQLITE_BUSY, extended codes included (https://sqlite.org/rescode.html). */
export const isBusy = (error: unknown) =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5

/** SQLITE_BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL: nothing was wrong with what was to be written. */
const failuresOfStore = new Set([5, 6, 7, 8, 9, 10, 13, 14, 15])

/** What to reject works with whose commit failed. */
const commitFailure = (error: unknown): unknown =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  failuresOfStore.has(error.errcode & 0xff)
    ? new StoreUnavailable(error)
    : error

/**
 * Writes of one connection in as few commits as possible: what has been asked for while the last commit was made goes with the
 * next, so that many callers share the price of durability and a single one waits for nobody.
 * @param undone called whenever work is undone
 * @param checkpoints told of every commit, which waits where they say so
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

  /** Takes the write lock. SQLite's own way of waiting for it would hold up the whole process. */
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

  /** Runs one work; what it throws undoes it alone. Answers what to tell its caller once everything is durable. */
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
      // What was waiting for the answer goes on here.
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
     * Runs the work, which is synchronous, inside the next commit and answers its value when that is durable. What it throws
     * undoes it alone; a commit that fails rejects and undoes all that was in it.
     * @param gathered how many callers it is for, where it is worth a turn of the loop to have more of them in the next
     */
    write: <T>(run: () => T, gathered = none): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ run, gathered, resolve: resolve as Work['resolve'], reject })
        working ??= work()
      }),
    /** Resolves when nothing is waiting to be committed. */
    idle: async (): Promise<void> => {
      while (working) await working
    },
  }
}
