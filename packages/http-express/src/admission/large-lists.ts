import { setImmediate as othersTurn } from 'node:timers/promises'
import { byteBoundedCache } from '@posthorn/core/ports/runtime'

/** Bytes. Reading and serializing a list of this size takes some milliseconds. */
const large = 256 * 1024

/** Bytes of the cache: room for some ten thousand sizes. */
const maxBytes = 2 * 1024 * 1024

/**
 * Remembers the sizes of recent responses by name, to predict the next one. Lists that were large, or whose size is unknown, start one per
 * turn of the event loop, so that other work gets a turn between two of them.
 */
export const largeLists = () => {
  const sizes = byteBoundedCache<string, number>({ maxBytes, sizeOf: (name) => name.length * 2 })
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Resolves when a list of that name may start: immediately if the last one was small. */
    turn: async (name: string): Promise<void> => {
      if ((sizes.get(name) ?? Number.POSITIVE_INFINITY) <= large) return
      last = last.then(() => othersTurn())
      await last
    },
    /** Bytes of the last response of that name; 0 if unknown. */
    sizeOf: (name: string): number => sizes.get(name) ?? 0,
    had: (name: string, bytes: number): void => sizes.set(name, bytes),
  }
}
export type LargeLists = ReturnType<typeof largeLists>
