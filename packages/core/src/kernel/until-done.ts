import type { Log, Sleep } from './ports.js'

type UntilDone = {
  readonly sleep: Sleep
  readonly log: Log
  /** What is tried, as the subject of a sentence for the operator. */
  readonly what: string
  /** Gives up. */
  readonly signal: AbortSignal
}

/** Milliseconds between two tries. */
const pauses = { first: 1_000, longest: 30_000 }

/** Tries the work until it succeeds, with back-off; the first failure is logged, and the success after it. Answers whether it succeeded. */
export const untilDone = async (
  work: () => Promise<void>,
  { sleep, log, what, signal }: UntilDone,
): Promise<boolean> => {
  for (let pause = pauses.first; !signal.aborted; pause = Math.min(pauses.longest, pause * 2)) {
    try {
      await work()
      if (pause > pauses.first) log('info', `${what} succeeded after a failure`)
      return true
    } catch (error) {
      if (pause === pauses.first) log('error', `${what} failed and is tried again until it succeeds`, { error })
      await sleep(pause, signal)
    }
  }
  return false
}
