import type { CounterGive, Counters, CounterTake } from '@posthorn/core/ports/storage'

/** Synchronous, so that counts and records can change in one step. */
export const inMemoryCounterValues = () => {
  const counts = new Map<string, number>()
  const expiries = new Map<string, number>()

  const used = (key: string) => counts.get(key) ?? 0

  return {
    used,
    take: (takes: readonly CounterTake[]): CounterTake | undefined => {
      const wanted = new Map<string, number>()
      for (const take of takes) {
        const n = (wanted.get(take.key) ?? used(take.key)) + take.n
        if (take.limit !== undefined && n > take.limit) return take
        wanted.set(take.key, n)
      }
      for (const [key, n] of wanted) counts.set(key, n)
      return undefined
    },
    takeUpTo: ({ key, n, limit }: CounterTake, expires: Date): number => {
      const granted = limit === undefined ? n : Math.max(0, Math.min(n, limit - used(key)))
      counts.set(key, used(key) + granted)
      expiries.set(key, expires.getTime())
      return granted
    },
    give: ({ key, n }: CounterGive): void => {
      counts.set(key, Math.max(0, used(key) - n))
    },
    prune: (now: Date): void => {
      for (const [key, expires] of expiries) {
        if (expires > now.getTime()) continue
        counts.delete(key)
        expiries.delete(key)
      }
    },
  }
}
export type InMemoryCounterValues = ReturnType<typeof inMemoryCounterValues>

export const inMemoryCounters = (counts = inMemoryCounterValues()): Counters => ({
  take: async (takes) => counts.take(takes),
  takeUpTo: async (take, expires) => counts.takeUpTo(take, expires),
  give: async (give) => counts.give(give),
  used: async (key) => counts.used(key),
  prune: async (now) => counts.prune(now),
})
