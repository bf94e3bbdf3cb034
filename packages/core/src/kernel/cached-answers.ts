import { byteBoundedCache } from './byte-bounded-cache.js'

/**
 * Caches the results of an asynchronous look-up, within `maxBytes`. Concurrent calls for one key share one look-up. Failures are not
 * cached. `largestEntry`: bytes that one result may take, by default an eighth of `maxBytes`.
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
