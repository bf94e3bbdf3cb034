import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { busy } from '@posthorn/core/ports/runtime'

/** Limits: ms, MB, and characters of input and output. The module of the same name does the work. */
export const sandboxWorkLimits = {
  'visual-document': { milliseconds: 5_000, mostInput: 4_000_000, mostOutput: 2_000_000 },
  'plain-text': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
  'feed-xml': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
  'feed-json': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
} as const

export type KindOfSandboxWork = keyof typeof sandboxWorkLimits

/** The output, or the input's problems in words for its author. */
export type SandboxOutcome =
  | { readonly output: string; readonly problems: readonly [] }
  | { readonly output?: undefined; readonly problems: readonly string[] }

export type SandboxTask = {
  readonly kind: KindOfSandboxWork
  readonly input: string
  readonly mostOutput: number
  readonly milliseconds: number
}

export type SandboxProcess = {
  /**
   * `used`: duration in ms, without loading. A process that ended is started again by the next task.
   * @throws Refusal `busy` if two processes in a row cannot start, or others end them
   */
  readonly run: (task: SandboxTask) => Promise<{ readonly outcome: SandboxOutcome; readonly used: number }>
  readonly end: () => Promise<void>
}

type Ending = 'late' | 'gone' | 'lost'

type Said = { readonly said: 'begun' } | ({ readonly said: 'done' } & SandboxOutcome)

/** In ms. MJML takes a second to load, so it stays longer for previews. */
const idleTime = (lastTask: KindOfSandboxWork) => (lastTask === 'visual-document' ? 60_000 : 1_000)

/** In ms: loads Posthorn's own code. */
const loadingTime = 60_000

/** Sent by others; V8 aborts with different ones, such as SIGABRT. */
const byOthers: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** Without the server's environment. The variable stops MJML from loading modules named in a configuration file. */
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

const hold = (child: ChildProcess, isHeld: boolean): void => {
  if (isHeld) child.ref()
  else child.unref()
  if (isHeld) child.channel?.ref()
  else child.channel?.unref()
}

/** `late`: after the deadline; `gone`: ended during the task; `lost`: never began, or others ended it. */
const outcomeIn = (
  child: ChildProcess,
  { milliseconds, ...message }: SandboxTask,
): Promise<{ readonly ended: SandboxOutcome | Ending; readonly used: number }> =>
  new Promise((resolve) => {
    let begunAt: number | undefined
    const finish = (ended: SandboxOutcome | Ending) => {
      clearTimeout(timer)
      child.off('message', hear).off('exit', exited).off('error', exited)
      resolve({ ended, used: begunAt === undefined ? 0 : performance.now() - begunAt })
    }
    /** One more turn handles messages that arrived while this thread was busy. */
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
    // The exit event handles a failed send.
    child.send(message, () => undefined)
  })

/**
 * One task at a time. Starts at the first task, ends when idle, does not keep this process alive.
 * @param memoryMb heap limit; above it the process is ended
 */
export const sandboxProcess = (memoryMb: number): SandboxProcess => {
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

  const attempt = async (task: SandboxTask) => {
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
      if (ended === 'lost') throw busy('The sandbox process could not be started. Please try again in a minute.')
      const problem = ended === 'late' ? `it takes longer than ${task.milliseconds} ms` : 'it takes too much memory'
      return { outcome: { problems: [problem] }, used }
    },
    end: () => {
      isOver = true
      return end()
    },
  }
}
