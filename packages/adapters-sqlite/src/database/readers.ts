import { Worker } from 'node:worker_threads'
import { busy, fairScheduler } from '@posthorn/core/ports/runtime'
import type { Parameter, Row } from './connection.js'
import { exit, threadEnd } from './thread-end.js'

/** The parameters of one run of a query. */
type Part = readonly Parameter[]
type Found = { readonly rows: readonly Row[]; readonly threads: number }

/** Runs the queries of one request. They share one place among the requests of their owner. */
export type Read = {
  /** @throws Refusal `busy` if the query takes too long or too many queries wait */
  (sql: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]>
  /**
   * Runs the query once per part, in one snapshot, and returns the rows in the order of the parts. An idle thread helps; `threads` is
   * the number of threads that read parts.
   * @throws Refusal as the function itself
   */
  readonly parts: (sql: string, parts: readonly Part[]) => Promise<Found>
  /** Must come first in every WHERE that may examine many rows: there a query in a thread can be paused or given up. */
  readonly check: string
}

/** A check on every row, for conditions that are slow. See `inTime` in `reader-thread.js`. */
export const inTime = 'in_time()'
/** A check on one row in 256, because the call costs as much as several simple conditions. */
const seldomInTime = `(random() & 255 OR ${inTime})`

type Query = {
  readonly sql: string
  readonly parts: readonly Part[]
  /** Shared state of its threads: see `reader-thread.js`. */
  readonly sharing: Int32Array
  /** The rows of each part, by the part's index. */
  readonly rows: (readonly Row[])[]
  readonly resolve: (found: Found) => void
  readonly reject: (reason: unknown) => void
  /** `tasks` counts unfinished tasks; `threads` counts threads that have returned rows. */
  tasks: number
  threads: number
  failure: Error | undefined
}
/** A query's work in one thread. */
type Task = {
  readonly owner: string
  readonly place: number
  readonly bytes: number
  readonly query: Query
  readonly isFirst: boolean
  isShared: boolean
  /** Assigned from start to end, also while the task is paused. */
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
  | { readonly rows: readonly (readonly [place: number, rows: readonly Row[]])[] }
  | { readonly error: string; readonly isLate: boolean; readonly isEvicted: boolean }
)

/** Threads that read at the same time. */
const runningAtMost = 2
/** Started queries, running or paused. Each occupies a thread. */
const threadsAtMost = 12
/** Limits on waiting queries, per account and in total: their number, and the bytes of their SQL and parameters. */
const limits = {
  ...{ waitingOfOwner: 500, waitingOfAll: 5_000 },
  ...{ bytesOfOwner: 16 * 1024 * 1024, bytesOfAll: 64 * 1024 * 1024 },
}
/** Idle threads beyond `runningAtMost` end after 5 s, in ms. */
const restsFor = 5_000
/** Running time of a query, in ms, after which it is refused. */
const timeLimit = 10_000
/** How long a thread waits for a second one to join its query, in ms. The second may still be starting. */
const forTheOther = 5

/** As in `reader-thread.js`. */
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

export type Readers = {
  /**
   * Reads in a thread with its own connection; sees everything committed before.
   * @param owner the account that is charged for the time
   * @param place `first` goes before all other requests of the owner
   */
  readonly request: (owner: string, place?: 'first' | 'last') => Read
  readonly close: () => Promise<void>
}

/**
 * Threads that read the file, started when first needed. Two run at a time, shared fairly among owners (`fairScheduler`). If other
 * queries wait, a query is paused after 100 ms, or at once if its owner uses both threads. It keeps its thread, its snapshot and the rows
 * found so far, and resumes when its owner's turn comes. Queries must call `in_time()` for that: see `inTime`.
 * @param milliseconds how long a query may run
 * @param patience how long a thread waits for a second one to join its query, in ms
 */
export const openReaders = (file: string, milliseconds = timeLimit, patience = forTheOther): Readers => {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const threads = new Set<Thread>()
  const scheduler = fairScheduler<Task>({ atOnce: runningAtMost, ...limits }, () => performance.now())
  let requests = 0
  let closed = false
  let resting: NodeJS.Timeout | undefined
  let ending: Promise<void> | undefined

  /** Ends a task; the last task of a query settles the query. */
  const left = ({ query }: Task, failure?: Error): void => {
    query.tasks -= 1
    query.failure ??= failure
    if (query.tasks > 0) return
    if (query.failure) query.reject(query.failure)
    else query.resolve({ rows: query.rows.flat(), threads: query.threads })
  }

  /** Takes the task from the thread and charges its time. */
  const freed = (thread: Thread, used: number): Task | undefined => {
    const { task } = thread
    thread.task = undefined
    // The scheduler only charges running tasks, so a paused task begins and ends now.
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

  /** Ends idle threads beyond `runningAtMost` after `restsFor`. */
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
      workerData: { file, stop, exit, control },
      env: {},
    })
    const thread: Thread = { worker, end: threadEnd(worker), control, task: undefined }
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

  /** Ends the paused query that has run longest, to free its thread. */
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

  /** Adds a task of the same query for a second thread, if one is idle. */
  const helper = (task: Task): Task | undefined => {
    const { query } = task
    if (query.parts.length === 1 || !scheduler.hasRoom(task)) return undefined
    const second = { ...task, isFirst: false, isShared: true, thread: undefined, bytes: 0 }
    if (!scheduler.add(second)) return undefined
    query.tasks += 1
    return second
  }

  /** Starts and resumes tasks that may run, and demands that running tasks pause for waiting ones. */
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

  const request: Readers['request'] = (owner, order = 'last') => {
    requests += 1
    const place = order === 'first' ? 0 : requests
    const parts: Read['parts'] = (sql, several) =>
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
    return Object.assign(
      async (sql: string, ...parameters: readonly Parameter[]) => (await parts(sql, [parameters])).rows,
      { parts, check: seldomInTime },
    )
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
