/** Items in order, each found by halving: what an index of a store is, in memory. No two of them compare as equal. */
export const sorted = <T>(compare: (a: T, b: T) => number) => {
  const items: T[] = []

  /** Where the item stands, or would stand. */
  const placeOf = (item: T): number => {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(items[middle] as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  const has = (place: number, item: T) => place < items.length && compare(items[place] as T, item) === 0

  return {
    items: items as readonly T[],
    add: (item: T): void => {
      items.splice(placeOf(item), 0, item)
    },
    remove: (item: T): void => {
      const place = placeOf(item)
      if (has(place, item)) items.splice(place, 1)
    },
    /** The items that come after that one, which need not be among them. */
    *after(item: T | undefined): Iterable<T> {
      const place = item === undefined ? 0 : placeOf(item)
      const first = item !== undefined && has(place, item) ? place + 1 : place
      for (let index = first; index < items.length; index += 1) yield items[index] as T
    },
  }
}
export type Sorted<T> = ReturnType<typeof sorted<T>>
