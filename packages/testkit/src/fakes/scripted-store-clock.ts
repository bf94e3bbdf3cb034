import type { Clock, StoreClock } from '@posthorn/core/ports'

/** The clock of a store that agrees with the process's until it is told to differ. */
export const scriptedStoreClock = (clock: Clock) => {
  let difference = 0
  return {
    now: async () => new Date(clock().getTime() - difference),
    /** Has the process be so many milliseconds ahead of the store; behind if negative. */
    processAhead: (milliseconds: number): void => {
      difference = milliseconds
    },
  } satisfies StoreClock & { readonly processAhead: (milliseconds: number) => void }
}
