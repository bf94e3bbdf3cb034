/** A store may cut a text at U+0000, and UTF-8 has no bytes for half of a surrogate pair: two texts would become one. */
const unstorable = /[\0\p{Surrogate}]/u

/** Whether every store gives the text back as it is. */
export const isStorableText = (text: string): boolean => !unstorable.test(text)

/** The most levels that JSON may be nested, the outermost included: recursion over more could exhaust the stack. */
export const deepestJson = 100

/** The most values that an input may hold, on all levels together: every one costs more in memory than its byte in a body. */
export const widestJson = 1_000_000

/** What a program that merges objects could take for the way to their prototype. */
const prototypeKeys: ReadonlySet<PropertyKey> = new Set(['__proto__', 'constructor', 'prototype'])

/** What stands in the way of keeping an input, and where in it. */
export type StorageFault = {
  readonly path: readonly PropertyKey[]
  readonly reason: 'character' | 'depth' | 'key' | 'width'
}

const partsOf = function* (value: object): Generator<readonly [key: PropertyKey, part: unknown]> {
  if (Array.isArray(value)) yield* value.entries()
  else if (!ArrayBuffer.isView(value)) yield* Object.entries(value)
}

const isWide = (input: unknown): boolean => {
  let left = widestJson
  const fits = (value: unknown, level: number): boolean => {
    if (typeof value !== 'object' || value === null || level > deepestJson) return true
    for (const [, part] of partsOf(value)) {
      left -= 1
      if (left < 0 || !fits(part, level + 1)) return false
    }
    return true
  }
  return !fits(input, 1)
}

const keyFault = (key: PropertyKey): StorageFault | undefined => {
  if (prototypeKeys.has(key)) return { path: [key], reason: 'key' }
  return typeof key !== 'string' || isStorableText(key) ? undefined : { path: [key], reason: 'character' }
}

/** The first fault of the value, which stands on that level. */
const firstFault = (value: unknown, level: number): StorageFault | undefined => {
  if (typeof value === 'string') return isStorableText(value) ? undefined : { path: [], reason: 'character' }
  if (typeof value !== 'object' || value === null) return undefined
  if (level > deepestJson) return { path: [], reason: 'depth' }
  for (const [key, part] of partsOf(value)) {
    const fault = keyFault(key) ?? faultBelow(key, part, level)
    if (fault) return fault
  }
  return undefined
}

const faultBelow = (key: PropertyKey, part: unknown, level: number): StorageFault | undefined => {
  const fault = firstFault(part, level + 1)
  return fault && { ...fault, path: [key, ...fault.path] }
}

/**
 * What of an input, JSON of any shape included, must not be kept: texts that no store gives back as they are, keys that lead to
 * a prototype, more levels than `deepestJson`, more values than `widestJson`. The first fault of each of its fields.
 */
export const storageFaults = (input: unknown): readonly StorageFault[] => {
  if (isWide(input)) return [{ path: [], reason: 'width' }]
  const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? [...partsOf(input)] : undefined
  return (fields?.map(([key, part]) => keyFault(key) ?? faultBelow(key, part, 1)) ?? [firstFault(input, 1)]).filter(
    (fault) => fault !== undefined,
  )
}
