import type { Log, Sleep } from './ports.js'

type UntilDone = {
  readonly sleep: Sleep
  readonly log: Log
  /** The work, as the subject of a sentence for the operator. */
  readonly what: string
  /** Abort to give up. */
  readonly signal: AbortSignal
}

/** Delays between two attempts, in ms. */
const pauses = { first: 1_000, longest: 30_000 }

/** Retries the work with back-off until it succeeds; logs the first failure and the success after it. Returns whether it succeeded. */
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
