import { type AccountOf, busy, type FairSchedulerTask, fairScheduler } from '@posthorn/core/ports/runtime'
import {
  type KindOfSandboxWork,
  type SandboxOutcome,
  type SandboxProcess,
  sandboxProcess,
  sandboxWorkLimits,
} from './sandbox-process.js'

export type SandboxProcessesOptions = {
  /** Who is charged; default: the project itself. */
  readonly accountOf?: AccountOf
  /** Started on demand; one account uses at most all but one. */
  readonly processes?: number
  /** Deadline in ms; default: the kind's own. */
  readonly milliseconds?: number
  /** Heap limit of a process, in MB. */
  readonly memoryMb?: number
}

type Job = FairSchedulerTask & {
  readonly begin: (on: SandboxProcess) => void
  readonly refuse: (reason: string) => void
}

export type SandboxProcesses = {
  /** @throws Refusal `busy` if too much work of the account waits, or it waited too long */
  readonly run: (kind: KindOfSandboxWork, input: string, projectId: string) => Promise<SandboxOutcome>
  readonly close: () => Promise<void>
}

const limits = { waitingOfOwner: 50, bytesOfOwner: 32 * 1024 * 1024, bytesOfAll: 128 * 1024 * 1024 }
/** In ms. */
const longestWait = 20_000

const stopping = 'This server is stopping. Please try again in a minute.'

/**
 * For tenants' content, whose time and memory are unpredictable (ADR 0064). A task has a deadline and a memory limit, and sees nothing of
 * the server's environment. One account delays others by at most its running task (`fairScheduler`).
 */
export const sandboxProcesses = ({
  accountOf = async (projectId) => projectId,
  processes = 2,
  milliseconds,
  memoryMb = 256,
}: SandboxProcessesOptions = {}): SandboxProcesses => {
  const queue = fairScheduler<Job>({ atOnce: processes, atOnceOfOwner: Math.max(1, processes - 1), ...limits }, () =>
    performance.now(),
  )
  const all = Array.from({ length: processes }, () => sandboxProcess(memoryMb))
  const idle = [...all]
  let closed = false

  const beginNext = () => {
    for (let on = idle.pop(); on; on = idle.pop()) {
      const job = queue.next()
      if (!job) {
        idle.push(on)
        return
      }
      job.begin(on)
    }
  }

  const turnOf = (
    owner: string,
    bytes: number,
  ): Promise<{ readonly on: SandboxProcess; readonly done: (used: number) => void }> =>
    new Promise((resolve, reject) => {
      const refuse = (reason: string) => {
        clearTimeout(waited)
        reject(busy(reason))
      }
      const begin = (on: SandboxProcess) => {
        clearTimeout(waited)
        const done = (used: number) => {
          queue.done(job, used)
          idle.push(on)
          if (!closed) beginNext()
        }
        resolve({ on, done })
      }
      const job: Job = { owner, bytes, begin, refuse }
      const waited = setTimeout(() => {
        if (queue.remove(job)) refuse('Too much is being worked on before this. Please try again in a minute.')
      }, longestWait)
      if (closed) refuse(stopping)
      else if (queue.add(job)) beginNext()
      else refuse('Too much work of this account is waiting. Please try again in a minute.')
    })

  return {
    run: async (kind, input, projectId) => {
      const { mostInput, mostOutput, milliseconds: deadline } = sandboxWorkLimits[kind]
      if (input.length > mostInput) return { problems: [`it has more than ${mostInput} characters`] }
      const { on, done } = await turnOf(await accountOf(projectId), input.length * 2)
      let time = 0
      try {
        if (!closed) {
          const task = { kind, input, mostOutput, milliseconds: milliseconds ?? deadline }
          const { outcome, used } = await on.run(task)
          time = used
          if (!closed) return outcome
        }
      } catch (error) {
        if (!closed) throw error
      } finally {
        done(time)
      }
      throw busy(stopping)
    },
    close: async () => {
      closed = true
      for (const { refuse } of queue.drain()) refuse(stopping)
      await Promise.all(all.map((one) => one.end()))
    },
  }
}
