import type { Counters, Give, Take } from '@posthorn/core'

/** Counters in memory, with the synchronous forms that the in-memory ledger takes and gives by in its own steps. */
export const inMemoryCounters = () => {
  const counts = new Map<string, { value: number; expires?: Date }>()
  const used = (key: string) => counts.get(key)?.value ?? 0
  const put = (key: string, value: number, expires?: Date) => counts.set(key, { value, ...(expires && { expires }) })
  const refused = ({ key, n, limit }: Take) => limit !== undefined && used(key) + n > limit

  const takeNow = (takes: readonly Take[]): Take | undefined => {
    const first = takes.find(refused)
    if (!first) for (const { key, n } of takes) put(key, used(key) + n)
    return first
  }
  const giveNow = ({ key, n }: Give) => {
    put(key, Math.max(0, used(key) - n))
  }

  const counters: Counters = {
    take: async (takes) => takeNow(takes),
    takeUpTo: async ({ key, n, limit }, expires) => {
      const taken = Math.max(0, Math.min(n, limit === undefined ? n : limit - used(key)))
      put(key, used(key) + taken, expires)
      return taken
    },
    give: async (give) => giveNow(give),
    used: async (key) => used(key),
    prune: async (now) => {
      for (const [key, { expires }] of counts) if (expires && expires <= now) counts.delete(key)
    },
  }
  return { counters, takeNow, giveNow }
}
