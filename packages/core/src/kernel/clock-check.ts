import type { Clock, Log, Sleep, StoreClock } from './ports.js'

type Deps = {
  /** Absent: the store's clock is this machine's, and there is nothing to compare. */
  readonly storeClock?: StoreClock | undefined
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
}

/** Milliseconds that a process may differ from the store. Leases are 20 s long. */
const mostDifference = 5_000
/** Milliseconds between two comparisons. */
const checkInterval = 5_000

/**
 * Compares this process's clock with the store's. While they differ by more than 5 s, the process starts no campaigns and claims no
 * deliveries: its leases would end too early or too late, and campaigns start hours early or be given up as hours late.
 */
export const clockCheck = ({ storeClock, clock, sleep, log }: Deps) => {
  /** Milliseconds that this process is ahead of the store, behind if negative; 0 while the difference does not matter. */
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
    // The store read its clock between the two: a slow answer is no difference.
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
      // A store that does not answer tells nothing about the clock: the last comparison holds.
      await look().catch(() => undefined)
      await sleep(checkInterval, signal)
    }
  }

  return {
    /** Compares now. @throws what the store throws */
    look,
    /** By the last comparison. */
    isRight: (): boolean => ahead === 0,
    isBehind: (): boolean => ahead < 0,
    /** What is wrong, for the operator. */
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
