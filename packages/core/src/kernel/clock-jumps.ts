import type { Clock, Log, MonotonicClock } from './ports.js'

type Deps = { readonly clock: Clock; readonly uptime: MonotonicClock; readonly log: Log }

/** In ms between two looks. Synchronisation by small steps stays below it. */
const mostJump = 5_000

const seconds = (milliseconds: number) => Math.round(milliseconds / 1_000)

/** Reports jumps of this machine's clock since the last look, by a count of milliseconds that nobody sets. */
export const clockJumps = ({ clock, uptime, log }: Deps) => {
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
