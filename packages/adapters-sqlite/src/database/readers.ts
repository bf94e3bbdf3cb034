import { Worker } from 'node:worker_threads'
import { busy } from '@posthorn/core/ports'
import type { Parameter, Row } from './statement.js'
import { threadEnd } from './thread-end.js'

/** Parameters of one run of a query; several are its parts. */
type Part = readonly Parameter[]
type Reading = {
  readonly owner: string
  readonly sql: string
  readonly parts: readonly Part[]
  /** What its threads agree on: see `reader-thread.js`. */
  readonly sharing: Int32Array
  /** The rows of each part, by its place. */
  readonly rows: (readonly Row[])[]
  readonly resolve: (found: Found) => void
  readonly reject: (reason: unknown) => void
  /** How many threads read it now, and how many have read of it. */
  under: number
  threads: number
  failure: Error | undefined
}
type Answer =
  | { readonly rows: readonly (readonly [place: number, rows: readonly Row[]])[] }
  | { readonly error: string; readonly isLate: boolean }
type Thread = { readonly worker: Worker; readonly end: () => Promise<void>; reading: Reading | undefined }
type Found = { readonly rows: readonly Row[]; readonly threads: number }

/** Threads that read at the same time. An owner has one of them, and the other only as long as nobody waits for it. */
const threadsAtMost = 2
/** How long a query may take that asks whether it is in time, in milliseconds. */
const timeLimit = 10_000
/** How long a thread waits for the other to begin a query with it, which may have to start yet, in milliseconds. */
const forTheOther = 5
/** Where in `sharing` a thread finds that it is to leave the rest to the other. */
const leave = 2

/** Where in `stop` its threads find that they are to give up what they read, and how many are reading. */
const [given, reading] = [0, 1]
/** How long the process waits at its exit for who gives up, in milliseconds. */
const exitPatience = 500

/** What is open, of which a process that exits has to be told. */
const opened = new Set<Int32Array>()
process.on('exit', () => {
  for (const stop of opened) Atomics.store(stop, given, 1)
  const until = performance.now() + exitPatience
  // An exit terminates the threads: see `thread-end.ts`.
  for (const stop of opened)
    for (let n = Atomics.load(stop, reading); n > 0 && performance.now() < until; n = Atomics.load(stop, reading))
      Atomics.wait(stop, reading, n, until - performance.now())
})

const tooLong = () => busy('The search takes too long. Ask for fewer conditions, or for a smaller list.')
const isClosed = () => new Error('The database is closed')

export type Readers = {
  /**
   * The rows of a query, read in a thread of its own with a connection of its own: what was committed before is there. Queries of
   * one owner wait for each other, and each owner has its turn.
   * @throws Refusal `busy` where a query that calls `in_time()` takes longer than ten seconds
   */
  readonly read: (owner: string, sql: string, ...parameters: readonly Parameter[]) => Promise<readonly Row[]>
  /**
   * The rows of a query that is run once for each part, in their order, and all of one snapshot. An idle thread takes parts, too, until
   * somebody else needs it. `threads`: how many took some.
   * @throws Refusal as `read`
   */
  readonly readParts: (owner: string, sql: string, parts: readonly Part[]) => Promise<Found>
  readonly close: () => Promise<void>
}

/**
 * Threads that read the file, started when they are first needed, so that a long query holds up nobody else.
 * @param milliseconds how long a query may take that asks whether it is in time
 * @param patience how long a thread waits for the other to begin a query with it
 */
export const openReaders = (file: string, milliseconds = timeLimit, patience = forTheOther): Readers => {
  const stop = new Int32Array(new SharedArrayBuffer(8))
  opened.add(stop)
  const threads = new Set<Thread>()
  const waiting: Reading[] = []
  let closed = false

  /** A thread has ended its work on a query: the last one of it tells what was found. */
  const left = (reading: Reading, failure?: Error): void => {
    reading.under -= 1
    reading.failure ??= failure
    if (reading.under > 0) return
    if (reading.failure) reading.reject(reading.failure)
    else reading.resolve({ rows: reading.rows.flat(), threads: reading.threads })
  }

  const answered = (reading: Reading, answer: Answer): void => {
    if ('error' in answer) {
      left(reading, closed ? isClosed() : answer.isLate ? tooLong() : new Error(answer.error))
      return
    }
    for (const [place, rows] of answer.rows) reading.rows[place] = rows
    if (answer.rows.length > 0) reading.threads += 1
    left(reading)
  }

  const start = (): Thread => {
    const worker = new Worker(new URL('./reader-thread.js', import.meta.url), { workerData: { file, stop }, env: {} })
    const thread: Thread = { worker, end: threadEnd(worker), reading: undefined }
    /** What it was at, which it is not any more. */
    const freed = (): Reading | undefined => {
      const { reading } = thread
      thread.reading = undefined
      return reading
    }
    const ended = (failure: Error): void => {
      threads.delete(thread)
      const reading = freed()
      if (reading) left(reading, failure)
    }
    threads.add(thread)
    worker.on('message', (answer: Answer) => {
      const reading = freed()
      if (!closed) worker.unref()
      if (reading) answered(reading, answer)
      next()
    })
    worker.on('error', (error) => {
      ended(error)
      next()
    })
    worker.on('exit', () => ended(isClosed()))
    worker.unref()
    return thread
  }

  const idle = (): Thread | undefined =>
    [...threads].find(({ reading }) => !reading) ?? (threads.size < threadsAtMost ? start() : undefined)

  /** What has waited longest and whose owner has no query under way. */
  const firstWaiting = (): number => {
    const busy = new Set([...threads].map(({ reading }) => reading?.owner))
    return waiting.findIndex(({ owner }) => !busy.has(owner))
  }

  /** Begins what waits, and lends an idle thread to what has several parts. */
  const next = (): void => {
    for (;;) {
      const index = closed ? -1 : firstWaiting()
      if (index < 0) return
      const thread = idle()
      if (!thread) {
        for (const { reading } of threads) if (reading) Atomics.store(reading.sharing, leave, 1)
        return
      }
      const [reading] = waiting.splice(index, 1)
      if (!reading) return
      thread.reading = reading
      const second = reading.parts.length > 1 && firstWaiting() < 0 ? idle() : undefined
      if (second) second.reading = reading
      const { sql, parts, sharing } = reading
      const asked = { sql, parts, sharing, isShared: second !== undefined, milliseconds, patience }
      for (const one of second ? [thread, second] : [thread]) {
        reading.under += 1
        one.worker.ref()
        one.worker.postMessage({ ...asked, isFirst: one === thread })
      }
    }
  }

  const readParts: Readers['readParts'] = (owner, sql, parts) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(isClosed())
      const sharing = new Int32Array(new SharedArrayBuffer(12))
      waiting.push({ owner, sql, parts, sharing, rows: [], resolve, reject, under: 0, threads: 0, failure: undefined })
      next()
    })

  return {
    read: async (owner, sql, ...parameters) => (await readParts(owner, sql, [parameters])).rows,
    readParts,
    close: async () => {
      closed = true
      Atomics.store(stop, given, 1)
      for (const { reject } of waiting.splice(0)) reject(isClosed())
      await Promise.all([...threads].map(({ end }) => end()))
      opened.delete(stop)
    },
  }
}
