import type { Clock } from '@posthorn/core/ports/runtime'

/** A clock that a test moves: `ports: { clock: clock.now }`. */
export const movableClock = (start: Date) => {
  let now = start.getTime()
  const clock: Clock = () => new Date(now)
  return {
    now: clock,
    advance: (milliseconds: number) => {
      now += milliseconds
    },
  }
}
