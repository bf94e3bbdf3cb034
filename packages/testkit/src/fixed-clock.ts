import type { Clock, Sleep } from '@posthorn/core'

/** A time that stands still until it is moved. */
export type FixedClock = {
  readonly now: Clock
  /** Moves the time on; who sleeps until then wakes. */
  readonly advance: (milliseconds: number) => void
  /** Sleeps in this clock's time: resolves when it has been moved that far, or the signal is aborted. */
  readonly sleep: Sleep
}

export const fixedClock = (start = '2026-01-06T12:00:00.000Z'): FixedClock => {
  let time = Date.parse(start)
  let sleepers: { until: number; wake: () => void }[] = []
  return {
    now: () => new Date(time),
    advance: (milliseconds) => {
      time += milliseconds
      const awake = sleepers.filter(({ until }) => until <= time)
      sleepers = sleepers.filter(({ until }) => until > time)
      for (const { wake } of awake) wake()
    },
    sleep: (milliseconds, signal) =>
      new Promise((wake) => {
        if (signal?.aborted || milliseconds <= 0) return wake()
        sleepers.push({ until: time + milliseconds, wake })
        signal?.addEventListener('abort', () => wake(), { once: true })
      }),
  }
}

/** Ids of the right form that count up from 1, each with a prefix of its own for the maker: no two makers collide. */
export const countingIds = (maker = 0) => {
  let n = 0
  return () => {
    n += 1
    return `${maker.toString(16).padStart(8, '0')}${n.toString(16).padStart(16, '0')}`
  }
}
