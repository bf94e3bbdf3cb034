import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { busy } from '@posthorn/core/ports'
import type { KindOfWork, Outcome } from './work.js'

export type Task = {
  readonly kind: KindOfWork
  readonly input: string
  readonly mostOutput: number
  readonly milliseconds: number
}

export type WorkProcess = {
  /**
   * What came of the task, and the milliseconds that it took once all that it needs was there. A process that had to be ended is
   * started again at the next. @throws Refusal `busy` when two in a row cannot be started, or are ended by others
   */
  readonly run: (task: Task) => Promise<{ readonly outcome: Outcome; readonly used: number }>
  /** Ends the process for good. */
  readonly end: () => Promise<void>
}

type Ending = 'late' | 'gone' | 'lost'

type Said = { readonly said: 'begun' } | ({ readonly said: 'done' } & Outcome)

/** After so long without a task, a process's memory is given back. What takes a second to load again is kept for whoever looks at a preview. */
const idleTime = (lastTask: KindOfWork) => (lastTask === 'visual-document' ? 60_000 : 1_000)

/** For loading what a kind of work needs, which is this project's own code. */
const loadingTime = 60_000

/** Signals by which others end a process; V8 ends it by SIGABRT or its like. */
const byOthers: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** Nothing of the server's environment; the variable keeps MJML from loading what a configuration file asks for. */
const started = (memoryMb: number): ChildProcess => {
  const child = fork(fileURLToPath(new URL('./host.js', import.meta.url)), [`${memoryMb}`], {
    env: { MJML_BROWSER: 'true' },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => undefined)
  return child
}

/** Whether it keeps this process alive. */
const hold = (child: ChildProcess, isHeld: boolean): void => {
  if (isHeld) child.ref()
  else child.unref()
  if (isHeld) child.channel?.ref()
  else child.channel?.unref()
}

/** Resolves with what came of the task; `late` after its deadline, `gone` where the process has ended under it, `lost` where it never began or was ended by others. */
const outcomeIn = (
  child: ChildProcess,
  { milliseconds, ...message }: Task,
): Promise<{ readonly ended: Outcome | Ending; readonly used: number }> =>
  new Promise((resolve) => {
    let begunAt: number | undefined
    const finish = (ended: Outcome | Ending) => {
      clearTimeout(timer)
      child.off('message', hear).off('exit', exited).off('error', exited)
      resolve({ ended, used: begunAt === undefined ? 0 : performance.now() - begunAt })
    }
    /** What was said while this thread was busy itself is heard first. */
    const after = (time: number) =>
      setTimeout(() => setImmediate(() => setImmediate(() => finish(begunAt === undefined ? 'lost' : 'late'))), time)
    const hear = (said: unknown) => {
      const one = said as Said
      if (one.said === 'done') return finish(one)
      begunAt = performance.now()
      clearTimeout(timer)
      timer = after(milliseconds)
    }
    const exited = (_code: unknown, signal?: NodeJS.Signals | null) =>
      finish(begunAt === undefined || (signal && byOthers.has(signal)) ? 'lost' : 'gone')
    let timer = after(loadingTime)
    child.on('message', hear).on('exit', exited).on('error', exited)
    // What cannot be sent is told by the exit.
    child.send(message, () => undefined)
  })

/**
 * A process that does one task at a time. It is started at the first, keeps no other process alive, and is ended when it has rested.
 * @param memoryMb what its objects may take before it is ended
 */
export const workProcess = (memoryMb: number): WorkProcess => {
  let child: ChildProcess | undefined
  let rest: NodeJS.Timeout | undefined
  let keptUntil = 0
  let isOver = false

  const end = async (): Promise<void> => {
    clearTimeout(rest)
    const ended = child
    child = undefined
    keptUntil = 0
    if (ended?.pid === undefined || ended.exitCode !== null || ended.signalCode !== null) return
    const exited = once(ended, 'exit')
    hold(ended, true)
    ended.kill('SIGKILL')
    await exited
  }

  const living = (): ChildProcess => {
    if (child) return child
    const begun = started(memoryMb)
    const forget = () => {
      if (child === begun) child = undefined
    }
    begun.once('exit', forget).once('error', forget)
    child = begun
    return begun
  }

  const attempt = async (task: Task) => {
    clearTimeout(rest)
    const at = living()
    hold(at, true)
    const { ended, used } = await outcomeIn(at, task)
    if (typeof ended === 'object') {
      hold(at, false)
      const now = performance.now()
      keptUntil = Math.max(keptUntil, now + idleTime(task.kind))
      rest = setTimeout(() => void end(), keptUntil - now).unref()
    } else await end()
    return { ended, used }
  }

  return {
    run: async (task) => {
      const first = await attempt(task)
      const { ended, used } = first.ended === 'lost' && !isOver ? await attempt(task) : first
      if (typeof ended === 'object') return { outcome: ended, used }
      if (ended === 'lost') throw busy('What is needed for it could not be started. Please try again in a minute.')
      const problem = ended === 'late' ? `it takes longer than ${task.milliseconds} ms` : 'it takes too much memory'
      return { outcome: { problems: [problem] }, used }
    },
    end: () => {
      isOver = true
      return end()
    },
  }
}
