import { Worker } from 'node:worker_threads'
import type { Parameter } from './connection.js'
import { exit, threadEnd } from './thread-end.js'

/** A statement of a write. The write fails unless it changes `changes` rows, or returns `counts` as `n`. */
export type Step = {
  readonly sql: string
  readonly parameters: readonly Parameter[]
  readonly changes?: number
  readonly counts?: number
}

type Message = { readonly isReady: true } | { readonly isDone: boolean }
type Waiting = { readonly resolve: (isDone: boolean) => void; readonly reject: (reason: unknown) => void }

/** Writes in a thread with its own connection, so that the main thread stays free. */
export type Writer = {
  /**
   * Runs the steps in one transaction, in the order of the calls. True once they are durable; false if nothing was written, because a
   * step did not match its count, a step failed, or no thread could be started.
   * @throws Error if the thread ended during the write, so that the outcome is unknown
   */
  readonly write: (steps: readonly Step[]) => Promise<boolean>
  /** Waits for the writes under way. */
  readonly close: () => Promise<void>
}

/** An idle thread ends after 5 s, which frees its memory. In ms. */
const restsFor = 5_000

const threadOf = (file: string): Worker =>
  new Worker(new URL('./writer-thread.js', import.meta.url), {
    workerData: { file, exit },
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  })

/** One thread per file; it starts with the first write. */
export const openWriter = (file: string, newThread: (file: string) => Worker = threadOf): Writer => {
  const waiting: Waiting[] = []
  let thread: Worker | undefined
  let end: (() => Promise<void>) | undefined
  let isMissing = false
  let isReady = false
  let underWay: Promise<void> | undefined
  let resting: NodeJS.Timeout | undefined

  /** Writes that the ended thread had not begun resolve to false; the outcome of the one it had begun is unknown. */
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
        // The system may limit the number of threads.
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
