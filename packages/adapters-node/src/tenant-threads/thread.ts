import { Worker } from 'node:worker_threads'
import type { KindOfWork, Outcome } from './work.js'

export type Task = {
  readonly kind: KindOfWork
  readonly input: string
  readonly mostOutput: number
  readonly milliseconds: number
}

export type Thread = {
  /**
   * What came of the task, and the milliseconds that it took once all that it needs was there. A thread that had to be ended is
   * started again at the next. @throws Error when it cannot be started
   */
  readonly run: (task: Task) => Promise<{ readonly outcome: Outcome; readonly used: number }>
  readonly end: () => Promise<void>
}

type Ending = 'late' | 'gone' | 'unstarted'

type Said = { readonly said: 'begun' } | ({ readonly said: 'done' } & Outcome)

/** Of its memory, what is for objects that live shortly; V8 would keep three times as much. */
const youngMb = 16

/** After so long without a task, a thread's memory is given back. What takes a second to load again is kept for whoever looks at a preview. */
const idleTime = (lastTask: KindOfWork) => (lastTask === 'visual-document' ? 60_000 : 5_000)

/** For loading what a kind of work needs, which is this project's own code. */
const loadingTime = 60_000

/** Nothing of the server's environment; the variable keeps MJML from loading what a configuration file asks for. */
const startedWorker = (memoryMb: number): Worker => {
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    env: { MJML_BROWSER: 'true' },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
  })
  worker.on('error', () => undefined)
  worker.unref()
  return worker
}

/** Resolves with what came of the task; `late` after its deadline, `gone` where the thread has ended under it, `unstarted` where it never began. */
const outcomeIn = (
  worker: Worker,
  { milliseconds, ...message }: Task,
): Promise<{ readonly ended: Outcome | Ending; readonly used: number }> =>
  new Promise((resolve) => {
    let begunAt: number | undefined
    const finish = (ended: Outcome | Ending) => {
      clearTimeout(timer)
      worker.off('message', hear).off('exit', exited)
      resolve({ ended, used: begunAt === undefined ? 0 : performance.now() - begunAt })
    }
    /** What was said while this thread was busy itself is heard first. */
    const after = (time: number) =>
      setTimeout(
        () => setImmediate(() => setImmediate(() => finish(begunAt === undefined ? 'unstarted' : 'late'))),
        time,
      )
    const hear = (said: Said) => {
      if (said.said === 'done') return finish(said)
      begunAt = performance.now()
      clearTimeout(timer)
      timer = after(milliseconds)
    }
    const exited = () => finish(begunAt === undefined ? 'unstarted' : 'gone')
    let timer = after(loadingTime)
    worker.on('message', hear).on('exit', exited)
    worker.postMessage(message)
  })

/** A thread that does one task at a time. It is started at the first, keeps no process alive, and is ended when it has rested. */
export const thread = (memoryMb: number): Thread => {
  let worker: Worker | undefined
  let rest: NodeJS.Timeout | undefined

  const end = async (): Promise<void> => {
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }

  const living = (): Worker => {
    if (worker) return worker
    const started = startedWorker(memoryMb)
    started.once('exit', () => {
      if (worker === started) worker = undefined
    })
    worker = started
    return started
  }

  return {
    run: async (task) => {
      clearTimeout(rest)
      const at = living()
      at.ref()
      const { ended, used } = await outcomeIn(at, task)
      if (typeof ended === 'object') {
        at.unref()
        rest = setTimeout(() => void end(), idleTime(task.kind)).unref()
        return { outcome: ended, used }
      }
      await end()
      if (ended === 'unstarted') throw new Error(`A thread for ${task.kind} could not be started`)
      const problem = ended === 'late' ? `it takes longer than ${task.milliseconds} ms` : 'it takes too much memory'
      return { outcome: { problems: [problem] }, used }
    },
    end,
  }
}
