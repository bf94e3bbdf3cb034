import type { Clock } from '@posthorn/core/ports/runtime'
import type { StoreClock } from '@posthorn/core/ports/storage'

/** Agrees with the process's clock until a test changes it. */
export const scriptedStoreClock = (clock: Clock) => {
  let difference = 0
  return {
    now: async () => new Date(clock().getTime() - difference),
    /** Sets how many milliseconds the process is ahead of the store; negative means behind. */
    processAhead: (milliseconds: number): void => {
      difference = milliseconds
    },
  } satisfies StoreClock & { readonly processAhead: (milliseconds: number) => void }
}
