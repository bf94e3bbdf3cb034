/** What an entry costs beside its own bytes: a slot of a map, two references, the key's header. */
const entryOverhead = 128

/** The share of the cache that one entry may take unless told otherwise; what is larger would push out everything else. */
const largestShare = 1 / 8

/** Bytes of a text in memory at the most: V8 keeps UTF-16, or one byte for each character of Latin-1. */
export const textBytes = (text: string): number => text.length * 2

/** What V8 takes, at the most of what is usual: an object with its shape or its table, a field in it, an array or a text, an entry. */
const bytesOf = { object: 128, field: 64, header: 32, entry: 24 } as const

/** Bytes of a value of JSON in memory, about. Of small values its text says little: an empty object has two characters. */
export const valueBytes = (value: unknown): number => {
  if (typeof value === 'string') return bytesOf.header + textBytes(value)
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  if (Array.isArray(value)) {
    for (const one of value) bytes += bytesOf.entry + valueBytes(one)
    return bytesOf.header + bytes
  }
  for (const [key, one] of Object.entries(value)) bytes += bytesOf.field + textBytes(key) + valueBytes(one)
  return bytesOf.object + bytes
}

export type ByteBoundedCache<K, V> = {
  /** The value, which counts as used last from now on. */
  readonly get: (key: K) => V | undefined
  /** Keeps the value, and forgets those that were not used for the longest time until all fit. One that is too large is not kept. */
  readonly set: (key: K, value: V) => void
  readonly delete: (key: K) => void
  /** What is kept now, by `sizeOf`, with what each entry costs beside. Never above `maxBytes`. */
  readonly bytes: () => number
}

/**
 * Keeps what was used last, as far as it fits into so many bytes. One entry takes at most `largestEntry`, an eighth unless given.
 * `sizeOf` answers the bytes of a key and its value together, the same whenever it is asked.
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
