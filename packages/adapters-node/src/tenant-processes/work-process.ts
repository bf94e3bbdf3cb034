import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
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
   * started again at the next. @throws Error when it cannot be started
   */
  readonly run: (task: Task) => Promise<{ readonly outcome: Outcome; readonly used: number }>
  readonly end: () => Promise<void>
}

type Ending = 'late' | 'gone' | 'unstarted'

type Said = { readonly said: 'begun' } | ({ readonly said: 'done' } & Outcome)

/** After so long without a task, a process's memory is given back. What takes a second to load again is kept for whoever looks at a preview. */
const idleTime = (lastTask: KindOfWork) => (lastTask === 'visual-document' ? 60_000 : 1_000)

/** For loading what a kind of work needs, which is this project's own code. */
const loadingTime = 60_000

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

/** Resolves with what came of the task; `late` after its deadline, `gone` where the process has ended under it, `unstarted` where it never began. */
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
      setTimeout(
        () => setImmediate(() => setImmediate(() => finish(begunAt === undefined ? 'unstarted' : 'late'))),
        time,
      )
    const hear = (said: unknown) => {
      const one = said as Said
      if (one.said === 'done') return finish(one)
      begunAt = performance.now()
      clearTimeout(timer)
      timer = after(milliseconds)
    }
    const exited = () => finish(begunAt === undefined ? 'unstarted' : 'gone')
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

  const end = async (): Promise<void> => {
    clearTimeout(rest)
    const ended = child
    child = undefined
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

  return {
    run: async (task) => {
      clearTimeout(rest)
      const at = living()
      hold(at, true)
      const { ended, used } = await outcomeIn(at, task)
      if (typeof ended === 'object') {
        hold(at, false)
        rest = setTimeout(() => void end(), idleTime(task.kind)).unref()
        return { outcome: ended, used }
      }
      await end()
      if (ended === 'unstarted') throw new Error(`A process for ${task.kind} could not be started`)
      const problem = ended === 'late' ? `it takes longer than ${task.milliseconds} ms` : 'it takes too much memory'
      return { outcome: { problems: [problem] }, used }
    },
    end,
  }
}
