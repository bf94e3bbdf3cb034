import type { MonotonicClock, Runtime, StoreClock } from './ports.js'

/** In ms between two looks. Synchronisation by small steps stays below it. */
const mostJump = 5_000

const seconds = (milliseconds: number) => Math.round(milliseconds / 1_000)

/** Reports jumps of this machine's clock since the last look, by a count of milliseconds that nobody sets. */
const clockJumps = (uptime: MonotonicClock, { clock, log }: Pick<Deps, 'clock' | 'log'>) => {
  const measured = () => clock().getTime() - uptime()
  let last = measured()
  return {
    look: (): void => {
      const jump = measured() - last
      last += jump
      if (jump > mostJump)
        log(
          'warn',
          `The clock of this machine jumped ahead by ${seconds(jump)} s, or the machine was suspended. What is due by the new time is sent now.`,
        )
      if (jump < -mostJump)
        log(
          'warn',
          `The clock of this machine was set back by ${seconds(-jump)} s. What was planned by the old time waits until the clock reaches it.`,
        )
    },
  }
}

type Deps = Pick<Runtime, 'clock' | 'sleep' | 'log'> & {
  /** Absent if the store uses this machine's clock. */
  readonly storeClock?: StoreClock | undefined
  /** Where the store has no clock: jumps of this machine's are logged by it. */
  readonly uptime?: MonotonicClock | undefined
}

/** In ms. Leases last 20 s. */
const mostDifference = 5_000
/** In ms. */
const checkInterval = 5_000

/**
 * While this clock differs from the store's by more than 5 s, the process starts no campaigns and claims no
 * deliveries: leases would expire at the wrong time, and campaigns would start early or be dropped as late.
 */
export const clockChecker = ({ storeClock, uptime, clock, sleep, log }: Deps) => {
  /** In ms; negative if behind, 0 while tolerated. */
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
    // The store read its clock between `before` and `after`: a slow response is no difference.
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
    const jumps = !storeClock && uptime ? clockJumps(uptime, { clock, log }) : undefined
    while (!signal.aborted) {
      jumps?.look()
      // If the store does not respond, the last comparison stays valid.
      await look().catch(() => undefined)
      await sleep(checkInterval, signal)
    }
  }

  return {
    /** @throws any error of the store */
    look,
    isRight: (): boolean => ahead === 0,
    isBehind: (): boolean => ahead < 0,
    problem,
    start: (): void => {
      if (checking || !(storeClock || uptime)) return
      checking = new AbortController()
      void check(checking.signal)
    },
    stop: (): void => {
      checking?.abort()
      checking = undefined
    },
  }
}
export type ClockChecker = ReturnType<typeof clockChecker>
