import type { Clock, Sleep } from '@posthorn/core/ports/runtime'

/** A clock that only moves when a test moves it. */
export type FixedClock = {
  readonly now: Clock
  /** Sleeps in this clock's time: resolves when the clock reaches the end, or the signal is aborted. */
  readonly sleep: Sleep
  /** Calls the alarm once. Returns a function that cancels it. */
  readonly ring: (when: Date, alarm: () => void) => () => void
  /** Moves in one step, as after a computer's suspension: everything due in between runs late, in order. */
  readonly advance: (milliseconds: number) => void
  /**
   * Every sleeper and job runs at its own time, and its effects complete before the clock moves on: minutes of rate limiting take
   * milliseconds, the same in every run.
   */
  readonly pass: (milliseconds: number) => Promise<void>
  /**
   * Moves from alarm to alarm until the condition holds.
   * @throws Error if it does not hold within `atMost` ms (default: an hour)
   */
  readonly passUntil: (holds: () => boolean | Promise<boolean>, atMost?: number) => Promise<void>
}

type Alarm = { readonly time: number; readonly alarm: () => void }

/** Event loop turns that complete everything but waits for real time. */
const turnsToSettle = 10

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < turnsToSettle; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const hour = 60 * 60_000

export const fixedClock = (start = '2026-01-06T12:00:00.000Z'): FixedClock => {
  let time = Date.parse(start)
  const alarms = new Set<Alarm>()

  /** The earliest alarm up to that time; of simultaneous ones, the one that was set first. */
  const nextUntil = (limit: number): Alarm | undefined => {
    let next: Alarm | undefined
    for (const one of alarms) if (one.time <= limit && (!next || one.time < next.time)) next = one
    return next
  }

  const ringOne = (one: Alarm) => {
    alarms.delete(one)
    one.alarm()
  }

  const ring = (when: Date, alarm: () => void) => {
    const one = { time: when.getTime(), alarm }
    alarms.add(one)
    return () => {
      alarms.delete(one)
    }
  }

  const liveUntil = async (end: number, holds: () => boolean | Promise<boolean>): Promise<boolean> => {
    for (;;) {
      await settled()
      if (await holds()) return true
      const next = nextUntil(end)
      time = Math.max(time, next?.time ?? end)
      if (!next) return false
      ringOne(next)
    }
  }

  return {
    now: () => new Date(time),

    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || milliseconds <= 0) return resolve()
        const wake = () => {
          takeBack()
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const takeBack = ring(new Date(time + milliseconds), wake)
        signal?.addEventListener('abort', wake)
      }),

    ring,

    advance: (milliseconds) => {
      time += milliseconds
      for (let next = nextUntil(time); next; next = nextUntil(time)) ringOne(next)
    },

    pass: async (milliseconds) => {
      await liveUntil(time + milliseconds, () => false)
    },

    passUntil: async (holds, atMost = hour) => {
      if (!(await liveUntil(time + atMost, holds))) throw new Error(`It did not come to pass within ${atMost} ms`)
    },
  }
}
