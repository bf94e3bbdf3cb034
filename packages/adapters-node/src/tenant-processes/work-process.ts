import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { busy } from '@posthorn/core/ports/runtime'
import type { KindOfWork, Outcome } from './work.js'

export type Task = {
  readonly kind: KindOfWork
  readonly input: string
  readonly mostOutput: number
  readonly milliseconds: number
}

export type WorkProcess = {
  /**
   * The task's outcome, and its duration in ms, without loading. If the process was ended, the next task starts it again.
   * @throws Refusal `busy` if two processes in a row cannot start, or others end them
   */
  readonly run: (task: Task) => Promise<{ readonly outcome: Outcome; readonly used: number }>
  /** Ends the process for good. */
  readonly end: () => Promise<void>
}

type Ending = 'late' | 'gone' | 'lost'

type Said = { readonly said: 'begun' } | ({ readonly said: 'done' } & Outcome)

/** Idle processes end after this time, in ms, to free their memory. MJML takes a second to load, so it stays longer for previews. */
const idleTime = (lastTask: KindOfWork) => (lastTask === 'visual-document' ? 60_000 : 1_000)

/** Time to load the modules of a kind of work, in ms; this is Posthorn's own code. */
const loadingTime = 60_000

/** Signals by which others end a process; V8 aborts with SIGABRT or the like. */
const byOthers: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** Starts without the server's environment; the variable stops MJML from loading modules named in a configuration file. */
const started = (memoryMb: number): ChildProcess => {
  const child = fork(fileURLToPath(new URL('./host.js', import.meta.url)), [`${memoryMb}`], {
    env: { MJML_BROWSER: 'true' },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => undefined)
  // On a busy machine the server, and so every other tenant, gets the processor first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  return child
}

/** Sets whether the child keeps this process alive. */
const hold = (child: ChildProcess, isHeld: boolean): void => {
  if (isHeld) child.ref()
  else child.unref()
  if (isHeld) child.channel?.ref()
  else child.channel?.unref()
}

/**
 * Resolves with the task's outcome; `late` after its deadline, `gone` if the process ended during the task, `lost` if it never began or
 * others ended it.
 */
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
    /** Waits one more turn, so that messages that arrived while this thread was busy are handled before the timeout. */
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
    // A failed send is handled by the exit event.
    child.send(message, () => undefined)
  })

/**
 * A process that runs one task at a time. It starts at the first task, does not keep this process alive by itself, and ends when idle.
 * @param memoryMb heap limit; above it the process is ended
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
