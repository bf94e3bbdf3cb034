import { Worker } from 'node:worker_threads'
import type { Parameter } from './statement.js'
import { exit, threadEnd } from './thread-end.js'

/** A statement of a write, and how many rows it has to change, or to count as `n`, for the write to be done. */
export type Step = {
  readonly sql: string
  readonly parameters: readonly Parameter[]
  readonly changes?: number
  readonly counts?: number
}

type Message = { readonly isReady: true } | { readonly isDone: boolean }
type Waiting = { readonly resolve: (isDone: boolean) => void; readonly reject: (reason: unknown) => void }

/** Writes in a thread and by a connection of its own, so that the thread that asks may read and check meanwhile. */
export type WritingThread = {
  /**
   * Runs the steps in one transaction, after those asked for before. True when they are durable; false where nothing was done: a step
   * did not hold, failed, or there is no thread to be had.
   * @throws Error where the thread ended in the middle of it
   */
  readonly write: (steps: readonly Step[]) => Promise<boolean>
  /** Waits for what is being written. */
  readonly close: () => Promise<void>
}

/** A thread that has had nothing to do for so many milliseconds ends, with what it has in memory. */
const restsFor = 5_000

const threadOf = (file: string): Worker =>
  new Worker(new URL('./writing-thread-worker.js', import.meta.url), {
    workerData: { file, exit },
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  })

/** One thread for a file: it starts with the first write. */
export const writingThread = (file: string, newThread: (file: string) => Worker = threadOf): WritingThread => {
  const waiting: Waiting[] = []
  let thread: Worker | undefined
  let end: (() => Promise<void>) | undefined
  let isMissing = false
  let isReady = false
  let underWay: Promise<void> | undefined
  let resting: NodeJS.Timeout | undefined

  /** What it never began is not done; what it had begun, nobody knows. */
  const ended = (which: Worker, reason: unknown): void => {
    if (which !== thread) return
    thread = undefined
    isMissing ||= !isReady
    for (const { resolve, reject } of waiting.splice(0))
      if (isReady)
        reject(new Error(`The thread that writes to the database ended: ${String(reason)}`, { cause: reason }))
      else resolve(false)
    isReady = false
  }

  const stop = async (): Promise<void> => {
    thread = undefined
    isReady = false
    await end?.()
  }

  const heard = (message: Message): void => {
    if ('isReady' in message) {
      isReady = true
      return
    }
    waiting.shift()?.resolve(message.isDone)
    if (waiting.length > 0) return
    thread?.unref()
    resting = setTimeout(() => void stop(), restsFor).unref()
  }

  const start = (): Worker => {
    const started = newThread(file)
    started.on('message', (message: Message) => {
      if (started === thread) heard(message)
    })
    started.on('error', (error) => ended(started, error))
    started.on('exit', (code) => ended(started, `it left with ${code}`))
    end = threadEnd(started)
    return started
  }

  const ask = (steps: readonly Step[]): Promise<boolean> =>
    new Promise((resolve, reject) => {
      clearTimeout(resting)
      try {
        if (!isMissing) thread ??= start()
      } catch {
        // No more threads may be had, as where processes are bounded.
        isMissing = true
      }
      if (!thread) {
        resolve(false)
        return
      }
      thread.ref()
      waiting.push({ resolve, reject })
      thread.postMessage(steps)
    })

  return {
    write: (steps) => {
      const writing = ask(steps)
      underWay = Promise.allSettled([underWay, writing]).then(() => undefined)
      return writing
    },
    close: async () => {
      isMissing = true
      await underWay
      clearTimeout(resting)
      await stop()
    },
  }
}
