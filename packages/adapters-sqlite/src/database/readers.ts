import { Worker } from 'node:worker_threads'
import { busy } from '@posthorn/core/ports'
import type { Parameter, Row } from './statement.js'

type Reading = {
  readonly owner: string
  readonly sql: string
  readonly parameters: readonly Parameter[]
  readonly resolve: (rows: readonly Row[]) => void
  readonly reject: (reason: unknown) => void
}
type Answer = { readonly rows: readonly Row[] } | { readonly error: string; readonly isLate: boolean }
type Thread = { readonly worker: Worker; reading: Reading | undefined }

/** Threads that read at the same time. An owner has one of them at most. */
const threadsAtMost = 2
/** How long a query may take that asks whether it is in time, in milliseconds. */
const timeLimit = 10_000

const tooLong = () => busy('The search takes too long. Ask for fewer conditions, or for a smaller list.')
const isClosed = () => new Error('The database is closed')

export type Readers = {
  /**
   * The rows of a query, read in a thread of its own with a connection of its own: what was committed before is there. Queries of
   * one owner wait for each other, and each owner has its turn.
   * @throws Refusal `busy` where a query that calls `in_time()` takes longer than ten seconds
   */
  readonly read: (owner: string, sql: string, ...parameters: readonly Parameter[]) => Promise<readonly Row[]>
  readonly close: () => Promise<void>
}

/**
 * Threads that read the file, started when they are first needed, so that a long query holds up nobody else.
 * @param milliseconds how long a query may take that asks whether it is in time
 */
export const openReaders = (file: string, milliseconds = timeLimit): Readers => {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const threads = new Set<Thread>()
  const waiting: Reading[] = []
  let closed = false

  const start = (): Thread => {
    const worker = new Worker(new URL('./reader-thread.js', import.meta.url), { workerData: { file, stop }, env: {} })
    const thread: Thread = { worker, reading: undefined }
    threads.add(thread)
    worker.on('message', (answer: Answer) => {
      const { reading } = thread
      thread.reading = undefined
      worker.unref()
      if ('rows' in answer) reading?.resolve(answer.rows)
      else reading?.reject(answer.isLate ? tooLong() : new Error(answer.error))
      next()
    })
    worker.on('error', (error) => {
      threads.delete(thread)
      thread.reading?.reject(error)
      next()
    })
    worker.on('exit', () => {
      threads.delete(thread)
      thread.reading?.reject(isClosed())
    })
    worker.unref()
    return thread
  }

  const idle = (): Thread | undefined =>
    [...threads].find(({ reading }) => !reading) ?? (threads.size < threadsAtMost ? start() : undefined)

  /** Begins what has waited longest and whose owner has no query under way. */
  const next = (): void => {
    if (closed) return
    const busy = new Set([...threads].map(({ reading }) => reading?.owner))
    const index = waiting.findIndex(({ owner }) => !busy.has(owner))
    if (index < 0) return
    const thread = idle()
    const [reading] = thread ? waiting.splice(index, 1) : []
    if (!thread || !reading) return
    thread.reading = reading
    thread.worker.ref()
    thread.worker.postMessage({ sql: reading.sql, parameters: reading.parameters, milliseconds })
    next()
  }

  return {
    read: (owner, sql, ...parameters) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(isClosed())
        waiting.push({ owner, sql, parameters, resolve, reject })
        next()
      }),
    close: async () => {
      closed = true
      Atomics.store(stop, 0, 1)
      for (const { reject } of waiting.splice(0)) reject(isClosed())
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}
