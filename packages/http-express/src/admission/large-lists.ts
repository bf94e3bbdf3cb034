import { setImmediate as othersTurn } from 'node:timers/promises'
import { byteBoundedCache } from '@posthorn/core/ports'

/** A list of so many bytes takes some milliseconds to be read and written down. */
const large = 256 * 1024

/** Of sizes: some ten thousand. */
const maxBytes = 2 * 1024 * 1024

/**
 * What was answered lately, by its size, which tells what the next of that name will have. Lists that were large, or may be, are begun
 * one in a turn of the event loop: whatever else came has its turn between two of them.
 */
export const largeLists = () => {
  const sizes = byteBoundedCache<string, number>({ maxBytes, sizeOf: (name) => name.length * 2 })
  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Resolves when a list of that name may begin: at once where the one before it was small. */
    turn: async (name: string): Promise<void> => {
      if ((sizes.get(name) ?? Number.POSITIVE_INFINITY) <= large) return
      last = last.then(() => othersTurn())
      await last
    },
    /** How many bytes an answer of that name had; 0 where nobody knows. */
    sizeOf: (name: string): number => sizes.get(name) ?? 0,
    had: (name: string, bytes: number): void => sizes.set(name, bytes),
  }
}
export type LargeLists = ReturnType<typeof largeLists>
