import { Worker } from 'node:worker_threads'
import type { Connection } from './connection.js'
import { exit, threadEnd } from './thread-end.js'

/** Pages of 4 kB that the write-ahead log gathers before they are brought into the file: what many commits change goes there once. */
const standardPages = 8_000

type Answer = { readonly isWhole: boolean }

/** Brings the write-ahead log into the file, in a thread of its own: nobody waits for that but, for a moment, who writes. */
export type Checkpoints = {
  /** Something was committed: where the log has grown, a checkpoint begins. */
  readonly committed: () => void
  /** While it is there, writes are to wait: the log begins anew when all of it is in the file. */
  readonly pause: () => Promise<unknown> | undefined
  /** Runs a write of another connection of this process: it waits where writes are to wait, and what waits for writes waits for it. */
  readonly elsewhere: <T>(write: () => Promise<T>) => Promise<T>
  /** Resolves when none is under way; none begins any more. */
  readonly close: () => Promise<void>
}

const threadOf = (file: string): Worker =>
  new Worker(new URL('./checkpoint-thread.js', import.meta.url), {
    workerData: { file, exit },
    env: {},
    resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
  })

/**
 * Takes checkpoints over from the connection. Where no thread can be had, the connection makes them again as SQLite does by itself, within
 * its commits.
 * @param pages how many of them the log gathers
 */
export const openCheckpoints = (
  connection: Connection,
  file: string,
  pages = standardPages,
  newThread: (file: string) => Worker = threadOf,
): Checkpoints => {
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
    end = threadEnd(thread)
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
        // No more threads may be had, as where processes are bounded.
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

  /** By how many pages the log has grown that are not in the file. */
  const grown = (): number => {
    try {
      const { log, checkpointed } = look.get() as { readonly log: number; readonly checkpointed: number }
      return log - checkpointed
    } catch {
      // What was committed is, whatever may be learnt of the log.
      return 0
    }
  }

  /** Most of it while others write, and what they have written meanwhile while nobody does. */
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
