/** A store may cut at U+0000, and UTF-8 cannot encode half a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Levels; recursion over more could exhaust the stack. */
export const mostJsonLevels = 100

/** Values on all levels; each costs more memory than its byte in a body. */
export const mostJsonValues = 50_000

/** These could change a prototype in a program that merges objects. */
const prototypeKeys: ReadonlySet<PropertyKey> = new Set(['__proto__', 'constructor', 'prototype'])

export type UnstorablePart = {
  readonly path: readonly PropertyKey[]
  readonly reason: 'character' | 'depth' | 'key' | 'width'
}

/** None for bytes. */
const keysOf = (value: object): readonly PropertyKey[] =>
  ArrayBuffer.isView(value) ? [] : Array.isArray(value) ? [...value.keys()] : Object.keys(value)

const partOf = (value: object, key: PropertyKey): unknown => (value as Readonly<Record<PropertyKey, unknown>>)[key]

const isIndex = (key: PropertyKey): boolean => typeof key === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(key)

/** Empty array slots that cost as much memory as one value. */
const placesOfValue = 8

/**
 * Empty slots of an object with index keys: a driver that copies it key by key makes V8 allocate an array up to the
 * highest index (half as many again and 16, unless a gap reaches 1,024). `{"1000":1}` takes 12 KB.
 */
const emptyPlaces = (value: object, keys: readonly PropertyKey[]): number => {
  if (Array.isArray(value) || !isIndex(keys[0] ?? '')) return 0
  let places = 0
  for (const key of keys) {
    const index = Number(key)
    if (!isIndex(key) || index >= places + 1_024) break
    if (index >= places) places = Math.floor(1.5 * (index + 1)) + 16
  }
  return Math.max(0, Math.floor(places / placesOfValue) - 4 * keys.length)
}

const isWide = (input: unknown): boolean => {
  let left = mostJsonValues
  const fits = (value: unknown, level: number): boolean => {
    if (typeof value !== 'object' || value === null || level > mostJsonLevels) return true
    const keys = keysOf(value)
    left -= keys.length + emptyPlaces(value, keys)
    return left >= 0 && keys.every((key) => fits(partOf(value, key), level + 1))
  }
  return !fits(input, 1)
}

/** Lower bound for the JSON length, counted up to `most`, without serialising. */
export const jsonLengthUpTo = (value: unknown, most: number): number => {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 1
  let length = 2
  for (const key of keysOf(value)) {
    length += jsonLengthUpTo(partOf(value, key), most - length) + (typeof key === 'string' ? key.length + 3 : 1)
    if (length > most) return length
  }
  return length
}

const keyFault = (key: PropertyKey): UnstorablePart | undefined => {
  if (prototypeKeys.has(key)) return { path: [key], reason: 'key' }
  return typeof key !== 'string' || isStorableText(key) ? undefined : { path: [key], reason: 'character' }
}

const firstFault = (value: unknown, level: number): UnstorablePart | undefined => {
  if (typeof value === 'string') return isStorableText(value) ? undefined : { path: [], reason: 'character' }
  if (typeof value !== 'object' || value === null) return undefined
  if (level > mostJsonLevels) return { path: [], reason: 'depth' }
  for (const key of keysOf(value)) {
    const fault = keyFault(key) ?? faultBelow(key, partOf(value, key), level)
    if (fault) return fault
  }
  return undefined
}

const faultBelow = (key: PropertyKey, part: unknown, level: number): UnstorablePart | undefined => {
  const fault = firstFault(part, level + 1)
  return fault && { ...fault, path: [key, ...fault.path] }
}

/** The first fault of each field: texts, keys, depth or width that must not be stored. */
export const unstorableParts = (input: unknown): readonly UnstorablePart[] => {
  if (isWide(input)) return [{ path: [], reason: 'width' }]
  const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined
  const faults = fields
    ? keysOf(fields).map((key) => keyFault(key) ?? faultBelow(key, partOf(fields, key), 1))
    : [firstFault(input, 1)]
  return faults.filter((fault) => fault !== undefined)
}
