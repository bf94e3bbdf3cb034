type Items<T> = { readonly items: (T | undefined)[]; next: number }

const lot = 1_000

/** Keys take turns, so a key with many items does not block the others. */
export const fairQueue = <T>() => {
  const waiting = new Map<string, Items<T>>()

  return {
    add: (key: string, item: T): void => {
      const queue = waiting.get(key)
      if (queue) queue.items.push(item)
      else waiting.set(key, { items: [item], next: 0 })
    },
    /** It stays in the queue. */
    first: (): T | undefined => {
      for (const { items, next } of waiting.values()) return items[next]
      return undefined
    },
    take: (): T | undefined => {
      for (const [key, queue] of waiting) {
        const item = queue.items[queue.next]
        queue.items[queue.next] = undefined
        queue.next += 1
        const isLast = queue.next === queue.items.length
        if (isLast || waiting.size > 1) waiting.delete(key)
        if (!isLast) waiting.set(key, queue)
        if (queue.next === lot) {
          queue.items.splice(0, lot)
          queue.next = 0
        }
        return item
      }
      return undefined
    },
    isEmpty: (): boolean => waiting.size === 0,
  }
}
export type FairQueue<T> = ReturnType<typeof fairQueue<T>>
