import { Worker } from 'node:worker_threads'
import type { Log } from '@posthorn/core'
import type { ThreadCommand, ThreadMessage } from './messages.js'
import type { ThreadData } from './thread-pipeline.js'

type Options = {
  readonly data: ThreadData & { readonly module: string }
  /** Read at every start of a thread. */
  readonly options: () => unknown
  readonly memoryMb: number
  readonly log: Log
  /** `reply` reaches only the thread that sent the message, never its replacement. */
  readonly onMessage: (answer: ThreadMessage, reply: (order: ThreadCommand) => void) => void
  /** The thread died; its batches must be reclaimed. The next post starts a new one. */
  readonly onDeath: () => void
}

/** In ms before a dead thread is replaced; doubles until a thread has lived for `healthy`. */
const rest = { first: 100, longest: 30_000, healthy: 60_000 }

/** In MB, for short-lived objects; V8 would use three times as much. */
const youngMb = 16

/** In ms. */
const closingTime = 18_000

/** Starts at the first command, is replaced when it dies, keeps the process alive only while held. */
export const supervisedWorker = ({ data, options, memoryMb, log, onMessage, onDeath }: Options) => {
  let worker: Worker | undefined
  let waiting: ThreadCommand[] = []
  let starting: NodeJS.Timeout | true | undefined
  let isHeld = false
  let isClosed = false
  let pause = 0
  let startedAt = 0

  const onExit = (one: Worker, reason: string) => {
    if (worker !== one) return
    worker = undefined
    if (isClosed) return
    pause =
      performance.now() - startedAt > rest.healthy
        ? rest.first
        : Math.min(rest.longest, Math.max(rest.first, pause * 2))
    log('error', 'The thread that renders and sends has died and is replaced', { reason, afterMs: pause })
    onDeath()
  }

  const start = async (): Promise<void> => {
    try {
      const opened = await options()
      if (isClosed) return
      const one = new Worker(new URL('./worker.js', import.meta.url), {
        workerData: data,
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
      })
      let reason = 'it ended'
      one.on('message', (answer: ThreadMessage) => onMessage(answer, (order) => one.postMessage(order)))
      one.on('error', (error: unknown) => {
        reason = error instanceof Error ? error.message : String(error)
      })
      one.on('exit', () => onExit(one, reason))
      if (!isHeld) one.unref()
      worker = one
      startedAt = performance.now()
      one.postMessage({ kind: 'open', options: opened } satisfies ThreadCommand)
      const orders = waiting
      waiting = []
      for (const order of orders) one.postMessage(order)
    } finally {
      starting = undefined
    }
  }

  const startSoon = () => {
    if (starting !== undefined || isClosed) return
    const begin = () => {
      starting = true
      start().catch((error: unknown) => {
        pause = Math.min(rest.longest, Math.max(rest.first, pause * 2))
        log('error', 'The thread that renders and sends cannot be started', { error, afterMs: pause })
        startSoon()
      })
    }
    if (pause === 0) begin()
    else starting = setTimeout(begin, pause)
  }

  return {
    post: (order: ThreadCommand): void => {
      if (worker) worker.postMessage(order)
      else {
        waiting.push(order)
        startSoon()
      }
    },
    start: (): void => {
      if (!worker) startSoon()
    },
    lives: (): boolean => worker !== undefined,
    drop: (unwanted: (order: ThreadCommand) => boolean): void => {
      waiting = waiting.filter((order) => !unwanted(order))
    },
    hold: (held: boolean): void => {
      if (held === isHeld) return
      isHeld = held
      if (held) worker?.ref()
      else worker?.unref()
    },
    /** Finishes the thread's mails within 18 s. */
    close: async (): Promise<void> => {
      if (isClosed) return
      isClosed = true
      if (typeof starting === 'object') clearTimeout(starting)
      const one = worker
      if (!one) return
      await new Promise<void>((resolve) => {
        const giveUp = setTimeout(() => void one.terminate(), closingTime)
        one.ref()
        one.once('exit', () => {
          clearTimeout(giveUp)
          resolve()
        })
        one.postMessage({ kind: 'close' } satisfies ThreadCommand)
      })
    },
  }
}
