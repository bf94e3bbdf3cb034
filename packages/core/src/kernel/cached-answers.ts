import { byteBoundedCache } from './byte-bounded-cache.js'

/**
 * Asks once for each key, however many ask at the same time, and keeps answers as far as they fit into so many bytes. What failed is
 * not kept. `largestEntry`: bytes that one answer may take, an eighth of all unless given.
 */
export const cachedAnswers = <V>({
  maxBytes,
  largestEntry,
  sizeOf,
}: {
  readonly maxBytes: number
  readonly largestEntry?: number
  readonly sizeOf: (value: V) => number
}): ((key: string, ask: () => Promise<V>) => Promise<V>) => {
  const kept = byteBoundedCache<string, { readonly value: V }>({
    maxBytes,
    ...(largestEntry && { largestEntry }),
    sizeOf: (key, { value }) => key.length * 2 + sizeOf(value),
  })
  const asked = new Map<string, Promise<V>>()

  return (key, ask) => {
    const known = kept.get(key)
    if (known) return Promise.resolve(known.value)
    const same = asked.get(key)
    if (same) return same
    const asking = (async () => {
      try {
        const value = await ask()
        kept.set(key, { value })
        return value
      } finally {
        asked.delete(key)
      }
    })()
    asked.set(key, asking)
    return asking
  }
}
