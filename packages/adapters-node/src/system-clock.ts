import type { Clock, MonotonicClock, Sleep } from '@posthorn/core/ports/runtime'

export const systemClock: Clock = () => new Date()

export const systemMonotonicClock: MonotonicClock = () => performance.now()

/** Wakes at once on abort; does not keep the process alive. */
export const systemSleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done, { once: true })
  })
