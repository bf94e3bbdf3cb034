import type { Clock, Log, Sleep, StoreClock } from './ports.js'

type Deps = {
  /** Absent if the store uses this machine's clock, so that there is nothing to compare. */
  readonly storeClock?: StoreClock | undefined
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
}

/** Tolerated difference to the store's clock, in ms. Leases last 20 s. */
const mostDifference = 5_000
/** Milliseconds between two comparisons. */
const checkInterval = 5_000

/**
 * Compares this process's clock with the store's. While they differ by more than 5 s, the process starts no campaigns and claims no
 * deliveries: its leases would expire too early or too late, and campaigns would start hours early or be dropped as hours late.
 */
export const clockCheck = ({ storeClock, clock, sleep, log }: Deps) => {
  /** How far this process is ahead of the store, in ms; negative if it is behind, 0 while the difference is tolerated. */
  let ahead = 0
  let checking: AbortController | undefined

  const problem = (): string | undefined =>
    ahead === 0
      ? undefined
      : `The clock of this process is ${Math.round(Math.abs(ahead) / 1_000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's.`

  const look = async (): Promise<boolean> => {
    if (!storeClock) return true
    const before = clock().getTime()
    const there = (await storeClock.now()).getTime()
    const after = clock().getTime()
    // The store read its clock between `before` and `after`, so a slow response does not count as a difference.
    const difference = there < before ? before - there : Math.min(0, after - there)
    const wasRight = ahead === 0
    ahead = Math.abs(difference) > mostDifference ? difference : 0
    if (wasRight && ahead !== 0)
      log(
        'error',
        `${problem()} It starts no campaigns and claims no deliveries. Synchronise the clock, by NTP for example.`,
      )
    if (!wasRight && ahead === 0) log('info', 'The clock of this process agrees with the database again')
    return ahead === 0
  }

  const check = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      // If the store does not respond, the last comparison stays valid.
      await look().catch(() => undefined)
      await sleep(checkInterval, signal)
    }
  }

  return {
    /** Compares now. @throws any error of the store */
    look,
    /** According to the last comparison. */
    isRight: (): boolean => ahead === 0,
    isBehind: (): boolean => ahead < 0,
    /** The problem as a sentence for the operator. */
    problem,
    start: (): void => {
      if (!storeClock || checking) return
      checking = new AbortController()
      void check(checking.signal)
    },
    stop: (): void => {
      checking?.abort()
      checking = undefined
    },
  }
}
export type ClockCheck = ReturnType<typeof clockCheck>
