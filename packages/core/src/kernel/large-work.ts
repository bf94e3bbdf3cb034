import { byteBoundedCache } from './byte-bounded-cache.js'
import { fairLimiter } from './fair-limiter.js'
import type { Sleep } from './ports.js'

/** What is larger takes the thread that answers everybody some milliseconds with each step over it, in characters. */
export const largeText = 64 * 1024

/** Of sizes: some ten thousand. */
const maxBytes = 2 * 1024 * 1024

/**
 * Steps over what is large, of all requests: one at a time, projects by turns, and before each whatever else this process does has
 * its turn. Fifty of them at once keep others waiting for one.
 */
export const largeWork = (sleep: Sleep) => {
  const inTurn = fairLimiter(1)
  /** How large a record was when it was read last. */
  const sizes = byteBoundedCache<string, number>({ maxBytes, sizeOf: (id) => id.length * 2 })

  const step = <T>(projectId: string, task: () => T | Promise<T>): Promise<T> =>
    inTurn(async () => {
      await sleep(0)
      return task()
    }, projectId)

  return {
    step,

    /** Takes the step at once where so many characters are not large. */
    stepOver: async <T>(size: number, projectId: string, task: () => T | Promise<T>): Promise<T> =>
      size > largeText ? step(projectId, task) : task(),

    /** Reads a record in a step of its own, unless it was small when it was read before. */
    reading: async <T>(
      id: string,
      projectId: string,
      read: () => Promise<T>,
      sizeOf: (found: T) => number,
    ): Promise<T> => {
      const found = await ((sizes.get(id) ?? Number.POSITIVE_INFINITY) > largeText ? step(projectId, read) : read())
      sizes.set(id, sizeOf(found))
      return found
    },
  }
}
export type LargeWork = ReturnType<typeof largeWork>
