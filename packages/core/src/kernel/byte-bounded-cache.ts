import type { Clock } from './ports.js'

/** Bytes per entry: a slot of a map, two references, the key's header. */
const entryOverhead = 128

/** A larger entry would evict everything else. */
const largestShare = 1 / 8

/** Upper bound, in bytes: V8 stores UTF-16 or Latin-1. */
export const textMemoryBytes = (text: string): number => text.length * 2

/** Upper bounds of what V8 usually allocates, in bytes. */
const bytesOf = { object: 128, field: 64, header: 32, entry: 24 } as const

/** Approximate bytes in memory. JSON text would underestimate small values: an empty object has two characters. */
export const valueMemoryBytes = (value: unknown): number => {
  if (typeof value === 'string') return bytesOf.header + textMemoryBytes(value)
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  if (Array.isArray(value)) {
    for (const one of value) bytes += bytesOf.entry + valueMemoryBytes(one)
    return bytesOf.header + bytes
  }
  for (const [key, one] of Object.entries(value)) bytes += bytesOf.field + textMemoryBytes(key) + valueMemoryBytes(one)
  return bytesOf.object + bytes
}

type ByteBoundedCache<K, V> = {
  /** Also marks the value as used last. */
  readonly get: (key: K) => V | undefined
  /** Evicts the least recently used values until all fit. Does not store a value that is too large. */
  readonly set: (key: K, value: V) => void
  readonly delete: (key: K) => void
  /** By `sizeOf` plus the overhead of each entry; never above `maxBytes`. */
  readonly bytes: () => number
}

/**
 * A least-recently-used cache of `maxBytes`. One entry takes at most `largestEntry` bytes, by default an eighth.
 * `sizeOf` must return the same number on every call.
 */
export const byteBoundedCache = <K, V>({
  maxBytes,
  largestEntry = maxBytes * largestShare,
  sizeOf,
}: {
  readonly maxBytes: number
  readonly largestEntry?: number
  readonly sizeOf: (key: K, value: V) => number
}): ByteBoundedCache<K, V> => {
  const entries = new Map<K, { readonly value: V; readonly size: number }>()
  let bytes = 0

  const forget = (key: K) => {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    bytes -= entry.size
  }

  return {
    get: (key) => {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set: (key, value) => {
      forget(key)
      const size = sizeOf(key, value) + entryOverhead
      if (size > largestEntry) return
      entries.set(key, { value, size })
      bytes += size
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes) return
        forget(oldest)
      }
    },
    delete: forget,
    bytes: () => bytes,
  }
}

/**
 * Caches asynchronous look-ups within `maxBytes`. Concurrent calls for one key share a look-up; failures are not
 * cached.
 */
export const byteBoundedLookup = <V>({
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
  const pending = new Map<string, Promise<V>>()

  return (key, ask) => {
    const known = kept.get(key)
    if (known) return Promise.resolve(known.value)
    const same = pending.get(key)
    if (same) return same
    const lookup = (async () => {
      try {
        const value = await ask()
        kept.set(key, { value })
        return value
      } finally {
        pending.delete(key)
      }
    })()
    pending.set(key, lookup)
    return lookup
  }
}

/** Adds or replaces the entry as the newest one; forgets the oldest one if there are more than `most`. */
export const setNewest = <K, V>(entries: Map<K, V>, key: K, value: V, most: number): void => {
  if (entries.size > 1) entries.delete(key)
  entries.set(key, value)
  if (entries.size <= most) return
  const [oldest] = entries.keys()
  if (oldest !== undefined) entries.delete(oldest)
}

/**
 * Caches asynchronous look-ups for `time` ms, for the `most` recently used keys. Concurrent calls for one key share a
 * look-up; failures are not cached.
 */
export const expiringCachedLookup = <V>({
  time,
  most,
  clock,
}: {
  readonly time: number
  readonly most: number
  readonly clock: Clock
}) => {
  const kept = new Map<string, { readonly answer: Promise<V>; readonly until: number }>()

  return {
    of: (key: string, ask: () => Promise<V>): Promise<V> => {
      const now = clock().getTime()
      const known = kept.get(key)
      if (known && now < known.until) return known.answer
      const answer = ask()
      answer.catch(() => kept.delete(key))
      setNewest(kept, key, { answer, until: now + time }, most)
      return answer
    },
    forget: (key: string): void => {
      kept.delete(key)
    },
    clear: (): void => kept.clear(),
  }
}
