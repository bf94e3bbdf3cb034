import type { Clock, Sleep } from '@posthorn/core/ports'

export const systemClock: Clock = () => new Date()

/** Wakes at once when the signal is aborted, and never keeps a process alive by itself. */
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
