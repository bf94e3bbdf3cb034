/**
 * What is under way at once, items of a weight of `size` at most; one more may be heavier than what is left. What waits is begun in
 * chunks of one key, keys by turns: whoever has many waiting does not keep the others from theirs.
 */
export const fairWindow = <T>({
  size,
  chunk,
  weightOf = () => 1,
  begin,
  emptied,
}: {
  readonly size: number
  readonly chunk: number
  readonly weightOf?: (item: T) => number
  /** Begins these; the window hears by `done` when they are over. Must not throw. */
  readonly begin: (items: readonly T[]) => void
  /** Nothing waits or is under way. */
  readonly emptied?: () => void
}) => {
  const waiting = new Map<string, T[]>()
  let free = size
  let isPumping = false

  const beginNext = (): boolean => {
    const [next] = waiting
    if (!next) return false
    const [key, queue] = next
    let n = 0
    for (; n < Math.min(chunk, queue.length) && free > 0; n += 1) free -= weightOf(queue[n] as T)
    const items = queue.splice(0, n)
    waiting.delete(key)
    if (queue.length > 0) waiting.set(key, queue)
    begin(items)
    return true
  }

  /** What is over as soon as it was begun makes room for the next here, and not one call deeper each time. */
  const pump = () => {
    if (isPumping) return
    isPumping = true
    try {
      while (free > 0 && beginNext());
    } finally {
      isPumping = false
    }
  }

  return {
    /** Behind what waits of the same key. */
    add: (key: string, items: readonly T[]): void => {
      if (items.length === 0) return
      const queue = waiting.get(key)
      if (queue) for (const item of items) queue.push(item)
      else waiting.set(key, [...items])
      pump()
    },
    /** Items of that weight are over. */
    done: (weight: number): void => {
      free += weight
      pump()
      if (free === size && waiting.size === 0) emptied?.()
    },
  }
}
export type FairWindow<T> = ReturnType<typeof fairWindow<T>>
