import type { Clock, Sleep } from '@posthorn/core/ports'

/** A time that stands still until it is moved. */
export type FixedClock = {
  readonly now: Clock
  /** Sleeps in this clock's time: resolves when it has been moved that far, or the signal is aborted. */
  readonly sleep: Sleep
  /** Rings once, as soon as the time is moved there. Answers how to take it back. */
  readonly ring: (when: Date, alarm: () => void) => () => void
  /** Moves the time on at once, as for a computer that was suspended: all that was due in between comes late, in order. */
  readonly advance: (milliseconds: number) => void
  /**
   * Lives through that time: every sleeper wakes and every job runs at its own moment, and what follows from it is done before the
   * time moves on. A running engine thus goes through minutes of pace in milliseconds, the same in every run.
   */
  readonly pass: (milliseconds: number) => Promise<void>
  /**
   * Lives on, from one alarm to the next, until that holds.
   * @throws Error when it does not hold within so many milliseconds (an hour unless told otherwise)
   */
  readonly passUntil: (holds: () => boolean | Promise<boolean>, atMost?: number) => Promise<void>
}

type Alarm = { readonly time: number; readonly alarm: () => void }

/** Enough turns of the event loop for everything to happen that waits for no real time. */
const turnsToSettle = 10

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < turnsToSettle; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

const hour = 60 * 60_000

export const fixedClock = (start = '2026-01-06T12:00:00.000Z'): FixedClock => {
  let time = Date.parse(start)
  const alarms = new Set<Alarm>()

  /** The earliest alarm up to that time; of several at the same moment the one that was set first. */
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
