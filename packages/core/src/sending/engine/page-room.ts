import type { Clock, Sleep } from '../../kernel/ports.js'
import { wakeUp as makeWakeUp } from '../../kernel/wake-up.js'

type Deps = {
  readonly clock: Clock
  readonly sleep: Sleep
  /** Undefined, or aborted: nobody waits. */
  readonly stopping: () => AbortSignal | undefined
}

/** Of pages that were expanded: while one is sent, the next is made. Further ones wait, or are queued where it takes long. */
const mostBorn = 2_000
const pageTime = 2_000

/** Rows that were born leased and are not over, and whether there is room for another page of them. */
export const pageRoom = ({ clock, sleep, stopping }: Deps) => {
  let born = 0
  const made = makeWakeUp()
  /** Whether there was no room for so long that mails are slow: then pages are queued until there is room again. */
  let isSlow = false

  const left = (): number => Math.max(0, mostBorn - born)
  const isEnough = () => left() >= mostBorn / 2
  const goesOn = () => stopping()?.aborted === false

  return {
    left,
    /** As `left`, for rows that may take long: half of the room stays free for others. */
    leftForSlow: (): number => Math.max(0, left() - mostBorn / 2),
    taken: (n: number): void => {
      born += n
    },
    freed: (n: number): void => {
      born -= n
      made.wake()
    },
    /** Ends whoever waits. */
    wake: (): void => made.wake(),

    /** Waits for the page before the last to be over, unless mails are slow. */
    soon: async (): Promise<void> => {
      if (isEnough()) {
        isSlow = false
        return
      }
      if (isSlow) return
      const until = clock().getTime() + pageTime
      while (!isEnough() && goesOn()) {
        const rest = until - clock().getTime()
        if (rest <= 0) {
          isSlow = true
          return
        }
        await sleep(rest, made.signal())
      }
    },
  }
}
export type PageRoom = ReturnType<typeof pageRoom>
