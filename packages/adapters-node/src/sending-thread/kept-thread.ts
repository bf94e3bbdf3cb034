import { Worker } from 'node:worker_threads'
import type { Log } from '@posthorn/core'
import type { Answer, Order } from './messages.js'
import type { ThreadData } from './sending.js'

type Options = {
  readonly data: ThreadData & { readonly module: string }
  /** What its mailer is opened with: asked for once, and for each thread that replaces one. */
  readonly options: () => unknown
  readonly memoryMb: number
  readonly log: Log
  /** `reply` reaches the thread that said it, and none that has replaced it. */
  readonly hear: (answer: Answer, reply: (order: Order) => void) => void
  /** It has died, and what it had is nobody's. A new one is started for what is posted from now on. */
  readonly died: () => void
}

/** A thread that died is replaced after this time, twice as long each time, until one has lived for a minute. In milliseconds. */
const rest = { first: 100, longest: 30_000, healthy: 60_000 }

/** Of its memory, what is for objects that live shortly; V8 would keep three times as much. */
const youngMb = 16

/** How long it may take to end in order. */
const closingTime = 18_000

/** A thread that is started at the first order, replaced when it dies, and keeps no process alive unless it is held. */
export const keptThread = ({ data, options, memoryMb, log, hear, died }: Options) => {
  let worker: Worker | undefined
  /** What was posted while there is none. */
  let waiting: Order[] = []
  let starting: NodeJS.Timeout | true | undefined
  let isHeld = false
  let isClosed = false
  let pause = 0
  let startedAt = 0

  const gone = (one: Worker, reason: string) => {
    if (worker !== one) return
    worker = undefined
    if (isClosed) return
    pause =
      performance.now() - startedAt > rest.healthy
        ? rest.first
        : Math.min(rest.longest, Math.max(rest.first, pause * 2))
    log('error', 'The thread that renders and sends has died and is replaced', { reason, afterMs: pause })
    died()
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
      one.on('message', (answer: Answer) => hear(answer, (order) => one.postMessage(order)))
      one.on('error', (error: unknown) => {
        reason = error instanceof Error ? error.message : String(error)
      })
      one.on('exit', () => gone(one, reason))
      if (!isHeld) one.unref()
      worker = one
      startedAt = performance.now()
      one.postMessage({ kind: 'open', options: opened } satisfies Order)
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
    post: (order: Order): void => {
      if (worker) worker.postMessage(order)
      else {
        waiting.push(order)
        startSoon()
      }
    },
    /** Has one started, if there is none. */
    start: (): void => {
      if (!worker) startSoon()
    },
    /** Whether there is one. */
    lives: (): boolean => worker !== undefined,
    /** Forgets what waits for a thread and is not wanted any more. */
    drop: (unwanted: (order: Order) => boolean): void => {
      waiting = waiting.filter((order) => !unwanted(order))
    },
    /** Whether it keeps the process alive. */
    hold: (held: boolean): void => {
      if (held === isHeld) return
      isHeld = held
      if (held) worker?.ref()
      else worker?.unref()
    },
    /** What it has is finished, as long as that takes 18 seconds or less. */
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
        one.postMessage({ kind: 'close' } satisfies Order)
      })
    },
  }
}
