/** An account may hold so many places for each place that is free: three quarters of all at the most. */
const perFreePlace = 3

/**
 * Places for deliveries under way. An account whose deliveries take long never gets the last ones: the fewer places are free, the fewer
 * an account may hold, so that another account always finds some.
 */
export const places = (most: number) => {
  const held = new Map<string, number>()
  let taken = 0

  return {
    taken: (): number => taken,
    /** How many places the account may take now. */
    left: (accountId: string): number => {
      const free = Math.max(0, most - taken)
      const own = held.get(accountId) ?? 0
      return Math.max(0, Math.floor((perFreePlace * free - own) / (perFreePlace + 1)))
    },
    take: (accountId: string, n: number): void => {
      taken += n
      held.set(accountId, (held.get(accountId) ?? 0) + n)
    },
    free: (accountId: string, n: number): void => {
      taken -= n
      const left = (held.get(accountId) ?? 0) - n
      if (left > 0) held.set(accountId, left)
      else held.delete(accountId)
    },
  }
}
