import type { Clock, Sleep } from '../../kernel/ports.js'

/** What is known of single mails: see `claiming`. */
export type Singles = {
  /** Whether some wait that no round has taken yet. */
  readonly isPressed: () => boolean
  /** How many were claimed since this was asked last. */
  readonly singlesSince: () => number
}

type Deps = {
  readonly singles: Singles
  readonly clock: Clock
  readonly sleep: Sleep
  /** Undefined, or aborted: nobody waits. */
  readonly stopping: () => AbortSignal | undefined
}

/** So long a page waits for each single mail since the last one: about what its request and its way take of the thread, in milliseconds. */
const singleTime = 0.8
/** So long it waits at the most, and how often it looks whether they have left. */
const longest = 1_000
const pause = 20

/** What a page of many waits for: single mails go first, and have for their requests as long as they take, but not for ever, even where the clock is set. */
export const singlesFirst =
  ({ singles, clock, sleep, stopping }: Deps) =>
  async (): Promise<void> => {
    const owed = Math.min(longest, singles.singlesSince() * singleTime)
    for (let waited = 0; waited < owed || (singles.isPressed() && waited < longest); ) {
      if (stopping()?.aborted !== false) return
      const before = clock().getTime()
      await sleep(pause)
      waited += Math.max(pause, clock().getTime() - before)
    }
  }
