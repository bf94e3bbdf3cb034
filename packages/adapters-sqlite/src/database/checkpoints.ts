import { Worker } from 'node:worker_threads'
import type { SqliteConnection } from './connection.js'
import { databaseThreadExitState, workerThreadTerminator } from './thread-end.js'

/** Log pages (4 kB) before a checkpoint, which copies a page once however many commits changed it. */
const standardPages = 8_000

type Answer = { readonly isWhole: boolean }

/** Copies the write-ahead log in a thread. Only writers wait, for its end. */
export type WriteAheadLogCheckpoints = {
  readonly committed: () => void
  /** Writes wait for this promise: only a log that is copied completely starts again from its beginning. */
  readonly pause: () => Promise<unknown> | undefined
  /** Runs a write of another connection of this process; checkpoints wait for it. */
  readonly elsewhere: <T>(write: () => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

const threadOf = (file: string): Worker =>
  new Worker(new URL('./checkpoint-thread.js', import.meta.url), {
    workerData: { file, exit: databaseThreadExitState },
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
  })

/**
 * Automatic checkpoints stay if no thread can be started.
 * @param pages log length that starts a checkpoint
 */
export const startWalCheckpoints = (
  connection: SqliteConnection,
  file: string,
  pages = standardPages,
  newThread: (file: string) => Worker = threadOf,
): WriteAheadLogCheckpoints => {
  const look = connection.prepare('PRAGMA wal_checkpoint(NOOP)')
  connection.exec('PRAGMA wal_autocheckpoint = 0')
  let worker: Worker | undefined
  let end: (() => Promise<void>) | undefined
  let answered: ((answer: Answer) => void) | undefined
  let running: Promise<void> | undefined
  let pause: Promise<unknown> | undefined
  let others: Promise<void> | undefined
  let isOver = false

  const failed = (): void => {
    if (!isOver && connection.isOpen) connection.exec('PRAGMA wal_autocheckpoint = 1000')
    isOver = true
    answered?.({ isWhole: true })
  }

  const start = (): Worker => {
    const thread = newThread(file)
    thread.on('message', (answer: Answer) => answered?.(answer))
    thread.on('error', failed)
    thread.on('exit', failed)
    end = workerThreadTerminator(thread)
    thread.unref()
    return thread
  }

  const checkpoint = (): Promise<Answer> =>
    new Promise((resolve) => {
      if (isOver) {
        resolve({ isWhole: true })
        return
      }
      try {
        worker ??= start()
      } catch {
        // The system may limit the number of threads.
        failed()
        resolve({ isWhole: true })
        return
      }
      worker.ref()
      answered = (answer) => {
        answered = undefined
        worker?.unref()
        resolve(answer)
      }
      worker.postMessage(undefined)
    })

  const grown = (): number => {
    try {
      const { log, checkpointed } = look.get() as { readonly log: number; readonly checkpointed: number }
      return log - checkpointed
    } catch {
      // The commit has succeeded even if the log's length cannot be read.
      return 0
    }
  }

  /** Copies most of the log while writes go on, then the rest while writes wait. */
  const bringIn = async (): Promise<void> => {
    if ((await checkpoint()).isWhole || isOver) return
    pause = Promise.resolve(others).then(checkpoint)
    await pause
    pause = undefined
  }

  const committed = (): void => {
    if (running || isOver) return
    if (grown() < pages) return
    running = bringIn().finally(() => {
      running = undefined
    })
  }

  return {
    committed,
    pause: () => pause,
    elsewhere: async (write) => {
      while (pause) await pause
      const writing = write()
      others = Promise.allSettled([others, writing]).then(() => undefined)
      try {
        return await writing
      } finally {
        committed()
      }
    },
    close: async () => {
      await running
      isOver = true
      await end?.()
    },
  }
}
