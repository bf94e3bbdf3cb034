/** Uses binary search, like a store's index. No two items compare as equal. */
export const selfSortingList = <T>(compare: (a: T, b: T) => number) => {
  const items: T[] = []

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
    /** The given item need not be in the list. */
    *after(item: T | undefined): Iterable<T> {
      const place = item === undefined ? 0 : placeOf(item)
      const first = item !== undefined && has(place, item) ? place + 1 : place
      for (let index = first; index < items.length; index += 1) yield items[index] as T
    },
  }
}
export type SortedList<T> = ReturnType<typeof selfSortingList<T>>
