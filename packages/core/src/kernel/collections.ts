/** Keeps the order of first occurrence. */
export const grouped = <T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> => {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff

/** By code point (order of UTF-8 bytes), as SQLite and MongoDB do and `<` does not. */
export const compareByCodePoint = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

const kinds = ['undefined', 'boolean', 'number', 'string']

/** As lists sort: absent and null, then booleans, numbers and texts. */
export const compareValues = (a: unknown, b: unknown): number => {
  const [x, y] = [a ?? undefined, b ?? undefined]
  if (typeof x === 'string' && typeof y === 'string') return compareByCodePoint(x, y)
  if (typeof x === typeof y) return Number(x ?? 0) - Number(y ?? 0)
  return kinds.indexOf(typeof x) - kinds.indexOf(typeof y)
}
