import type { Runtime } from './ports.js'

/** About half a day. */
export const maxAttempts = 50

const minute = 60_000

/** In ms: 1, 2, 4, 8, then 15 minutes. `spread` (0..1) adds up to a quarter. */
export const backOff = (attempts: number, spread: number): number =>
  Math.min(15, 2 ** Math.max(0, attempts - 1)) * minute * (1 + spread / 4)

/** 0..1, so that deliveries that failed together are retried at different times. */
export const jitterFromText = (text: string): number => {
  let sum = 0
  for (const char of text) sum = (sum * 31 + char.charCodeAt(0)) % 997
  return sum / 997
}

type RetryUntilDone = Pick<Runtime, 'sleep' | 'log'> & {
  /** The work, as the subject of a sentence for the operator. */
  readonly what: string
  /** Abort to give up. */
  readonly signal: AbortSignal
}

/** Delays between two attempts, in ms. */
const pauses = { first: 1_000, longest: 30_000 }

/** Retries the work with back-off until it succeeds; logs the first failure and the success after it. Returns whether it succeeded. */
export const retryUntilDone = async (
  work: () => Promise<void>,
  { sleep, log, what, signal }: RetryUntilDone,
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
