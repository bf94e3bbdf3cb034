import { Worker } from 'node:worker_threads'
import { busy, fairScheduler } from '@posthorn/core/ports/runtime'
import type { SqlParameter, SqlRow } from './connection.js'
import { rawSql, type SqlFragment, sql } from './sql.js'
import { databaseThreadExitState, workerThreadTerminator } from './thread-end.js'

type Part = readonly SqlParameter[]
type Found = { readonly rows: readonly SqlRow[]; readonly threads: number }

/** Runs the queries of one request, which count as one in the queue of their owner. */
export type ReadSqlRows = {
  /** @throws Refusal `busy` if the query takes too long or too many wait */
  (query: SqlFragment | string): Promise<readonly SqlRow[]>
  /** In one snapshot, on up to two threads; rows are in the parts' order. @throws Refusal `busy` */
  readonly parts: (sql: string, parts: readonly Part[]) => Promise<Found>
  /** Must come first in every WHERE that may examine many rows. */
  readonly check: SqlFragment
}

/** Checks every row: for slow conditions. */
export const timeLimitCheckSql = rawSql('in_time()')
/** The call costs as much as several conditions. */
const seldomInTime = sql`(random() & 255 OR ${timeLimitCheckSql})`

type Query = {
  readonly sql: string
  readonly parts: readonly Part[]
  readonly sharing: Int32Array
  readonly rows: (readonly SqlRow[])[]
  readonly resolve: (found: Found) => void
  readonly reject: (reason: unknown) => void
  /** Unfinished tasks; threads that have returned rows. */
  tasks: number
  threads: number
  failure: Error | undefined
}
type Task = {
  readonly owner: string
  readonly place: number
  readonly bytes: number
  readonly query: Query
  readonly isFirst: boolean
  isShared: boolean
  /** Kept while the task is paused. */
  thread: Thread | undefined
  isPaused: boolean
  used: number
}
type Thread = {
  readonly worker: Worker
  readonly end: () => Promise<void>
  readonly control: Int32Array
  task: Task | undefined
}
type Message = { readonly used: number } & (
  | { readonly isPaused: true }
  | { readonly rows: readonly (readonly [place: number, rows: readonly SqlRow[]])[] }
  | { readonly error: string; readonly isLate: boolean; readonly isEvicted: boolean }
)

const runningAtMost = 2
const threadsAtMost = 12
const limits = {
  ...{ waitingOfOwner: 500, waitingOfAll: 5_000 },
  ...{ bytesOfOwner: 16 * 1024 * 1024, bytesOfAll: 64 * 1024 * 1024 },
}
/** In ms; idle threads beyond `runningAtMost` then end. */
const restsFor = 5_000
/** In ms; a longer query is refused. */
const timeLimit = 10_000
/** In ms: wait for a second thread, which may still be starting. */
const forTheOther = 5

const [paused, demand] = [0, 1]
const demands = { none: 0, soon: 1, now: 2 } as const
const giveUp = 3

const tooLong = () => busy('The search takes too long. Ask for fewer conditions, or for a smaller list.')
const tooMany = () => busy('Too many searches are waiting. Please try again in a minute.')
const evicted = () => busy('The search made room for searches of others. Please try again in a minute.')
const isClosed = () => new Error('The database is closed')

const bytesOf = (sql: string, parts: readonly Part[]): number =>
  parts.reduce(
    (sum, part) => part.reduce<number>((all, one) => all + (typeof one === 'string' ? 2 * one.length : 8), sum),
    2 * sql.length,
  )

export type ReaderThreads = {
  /**
   * Reads everything committed before.
   * @param owner who is charged
   * @param place `first` precedes the owner's other requests
   */
  readonly request: (owner: string, place?: 'first' | 'last') => ReadSqlRows
  readonly close: () => Promise<void>
}

/**
 * Two run at a time, shared fairly among owners. If others wait, a query pauses after 100 ms, or at once if its owner uses both; it keeps
 * its thread, snapshot and rows. Queries must call `in_time()`.
 * @param milliseconds limit on a query
 * @param patience ms that a thread waits for a second one
 */
export const openReaders = (file: string, milliseconds = timeLimit, patience = forTheOther): ReaderThreads => {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const threads = new Set<Thread>()
  const scheduler = fairScheduler<Task>({ atOnce: runningAtMost, ...limits }, () => performance.now())
  let requests = 0
  let closed = false
  let resting: NodeJS.Timeout | undefined
  let ending: Promise<void> | undefined

  const left = ({ query }: Task, failure?: Error): void => {
    query.tasks -= 1
    query.failure ??= failure
    if (query.tasks > 0) return
    if (query.failure) query.reject(query.failure)
    else query.resolve({ rows: query.rows.flat(), threads: query.threads })
  }

  const freed = (thread: Thread, used: number): Task | undefined => {
    const { task } = thread
    thread.task = undefined
    // The scheduler charges only running tasks.
    if (task?.isPaused) scheduler.begin(task)
    if (task) scheduler.done(task, used)
    return task
  }

  const ended = (thread: Thread, message: Exclude<Message, { isPaused: true }>): void => {
    const task = freed(thread, message.used)
    if (!closed) thread.worker.unref()
    if (!task) return
    if ('error' in message) {
      const { error, isLate, isEvicted } = message
      left(task, closed ? isClosed() : isLate ? tooLong() : isEvicted ? evicted() : new Error(error))
      return
    }
    for (const [place, rows] of message.rows) task.query.rows[place] = rows
    if (message.rows.length > 0) task.query.threads += 1
    left(task)
  }

  const rest = (): void => {
    clearTimeout(resting)
    if (closed || threads.size <= runningAtMost) return
    resting = setTimeout(() => {
      const idle = [...threads].filter(({ task }) => !task)
      for (const thread of idle.slice(0, threads.size - runningAtMost)) {
        threads.delete(thread)
        ending = Promise.all([ending, thread.end()]).then(() => undefined)
      }
    }, restsFor).unref()
  }

  const start = (): Thread => {
    const control = new Int32Array(new SharedArrayBuffer(8))
    const worker = new Worker(new URL('./reader-thread.js', import.meta.url), {
      workerData: { file, stop, exit: databaseThreadExitState, control },
      env: {},
    })
    const thread: Thread = { worker, end: workerThreadTerminator(worker), control, task: undefined }
    const died = (failure: Error): void => {
      threads.delete(thread)
      const task = freed(thread, 0)
      if (task) left(task, failure)
      begin()
    }
    threads.add(thread)
    worker.on('message', (message: Message) => {
      if (!('isPaused' in message)) ended(thread, message)
      else if (thread.task) {
        thread.task.isPaused = true
        thread.task.used += message.used
        scheduler.pause(thread.task, message.used)
      }
      begin()
      rest()
    })
    worker.on('error', died)
    worker.on('exit', () => died(isClosed()))
    worker.unref()
    return thread
  }

  const idle = (): Thread | undefined =>
    [...threads].find(({ task }) => !task) ?? (threads.size < threadsAtMost ? start() : undefined)

  /** Ends the longest paused query, to free its thread. */
  const evict = (): void => {
    const all = [...threads]
    if (all.some(({ control }) => Atomics.load(control, demand) === giveUp)) return
    const [longest] = all
      .filter(({ task }) => task?.isPaused)
      .toSorted((a, b) => (b.task?.used ?? 0) - (a.task?.used ?? 0))
    if (!longest) return
    Atomics.store(longest.control, demand, giveUp)
    Atomics.notify(longest.control, paused)
  }

  const resume = (task: Task, { control }: Thread): void => {
    task.isPaused = false
    Atomics.store(control, paused, 0)
    Atomics.notify(control, paused)
  }

  const run = (task: Task, thread: Thread): void => {
    const { sql, parts, sharing } = task.query
    const { isFirst, isShared } = task
    task.thread = thread
    thread.task = task
    Atomics.store(thread.control, paused, 0)
    Atomics.store(thread.control, demand, 0)
    thread.worker.ref()
    thread.worker.postMessage({ sql, parts, sharing, isFirst, isShared, milliseconds, patience })
  }

  const helper = (task: Task): Task | undefined => {
    const { query } = task
    if (query.parts.length === 1 || !scheduler.hasRoom(task)) return undefined
    const second = { ...task, isFirst: false, isShared: true, thread: undefined, bytes: 0 }
    if (!scheduler.add(second)) return undefined
    query.tasks += 1
    return second
  }

  /** Starts and resumes tasks, and demands that running ones pause for waiting ones. */
  const begin = (): void => {
    for (let task = closed ? undefined : scheduler.first(); task; task = scheduler.first()) {
      const thread = task.thread ?? idle()
      if (!thread) {
        evict()
        break
      }
      scheduler.begin(task)
      if (task.thread) resume(task, thread)
      else {
        task.isShared ||= helper(task) !== undefined
        run(task, thread)
      }
    }
    for (const { task, control } of threads)
      if (task && Atomics.load(control, demand) !== giveUp)
        Atomics.store(control, demand, task.isPaused ? 0 : demands[scheduler.pressure(task)])
  }

  const request: ReaderThreads['request'] = (owner, order = 'last') => {
    requests += 1
    const place = order === 'first' ? 0 : requests
    const parts: ReadSqlRows['parts'] = (sql, several) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(isClosed())
        const sharing = new Int32Array(new SharedArrayBuffer(8))
        const query = {
          sql,
          parts: several,
          sharing,
          rows: [],
          resolve,
          reject,
          tasks: 1,
          threads: 0,
          failure: undefined,
        }
        const bytes = bytesOf(sql, several)
        const state = { isFirst: true, isShared: false, thread: undefined, isPaused: false, used: 0 }
        if (!scheduler.add({ owner, place, bytes, query, ...state })) return reject(tooMany())
        begin()
      })
    const read = async (query: SqlFragment | string) => {
      const { text, parameters } = typeof query === 'string' ? rawSql(query) : query
      return (await parts(text, [parameters])).rows
    }
    return Object.assign(read, { parts, check: seldomInTime })
  }

  return {
    request,
    close: async () => {
      closed = true
      Atomics.store(stop, 0, 1)
      for (const task of scheduler.drain()) if (!task.thread) left(task, isClosed())
      clearTimeout(resting)
      await Promise.all([ending, ...[...threads].map(({ end }) => end())])
    },
  }
}
