/**
 * What is under way at once, `size` items at most. What waits is begun in chunks of one key, keys by turns: whoever has many waiting
 * does not keep the others from theirs.
 */
export const fairWindow = <T>({
  size,
  chunk,
  begin,
  emptied,
}: {
  readonly size: number
  readonly chunk: number
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
    const items = queue.splice(0, Math.min(chunk, free))
    waiting.delete(key)
    if (queue.length > 0) waiting.set(key, queue)
    free -= items.length
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
    /** So many are over. */
    done: (n: number): void => {
      free += n
      pump()
      if (free === size && waiting.size === 0) emptied?.()
    },
  }
}
export type FairWindow<T> = ReturnType<typeof fairWindow<T>>
