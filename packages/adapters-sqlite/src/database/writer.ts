import { Worker } from 'node:worker_threads'
import type { SqlParameter } from './connection.js'
import { databaseThreadExitState, workerThreadTerminator } from './thread-end.js'

/** Fails unless it changes `changes` rows, or returns `counts` as `n`. */
export type SqlWriteStep = {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
  readonly changes?: number
  readonly counts?: number
}

type Message = { readonly isReady: true } | { readonly isDone: boolean }
type Waiting = { readonly resolve: (isDone: boolean) => void; readonly reject: (reason: unknown) => void }

/** Writes in a thread with its own connection, so that the main thread stays free. */
export type WriterThread = {
  /**
   * True once durable; false if nothing was written.
   * @throws Error if the thread ended during the write: unknown outcome
   */
  readonly write: (steps: readonly SqlWriteStep[]) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** In ms; then an idle thread ends, to free memory. */
const restsFor = 5_000

const threadOf = (file: string): Worker =>
  new Worker(new URL('./writer-thread.js', import.meta.url), {
    workerData: { file, exit: databaseThreadExitState },
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
  })

export const openWriterThread = (file: string, newThread: (file: string) => Worker = threadOf): WriterThread => {
  const waiting: Waiting[] = []
  let thread: Worker | undefined
  let end: (() => Promise<void>) | undefined
  let isMissing = false
  let isReady = false
  let underWay: Promise<void> | undefined
  let resting: NodeJS.Timeout | undefined

  /** False for writes that the thread had not begun. */
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
    end = workerThreadTerminator(started)
    return started
  }

  const ask = (steps: readonly SqlWriteStep[]): Promise<boolean> =>
    new Promise((resolve, reject) => {
      clearTimeout(resting)
      try {
        if (!isMissing) thread ??= start()
      } catch {
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
