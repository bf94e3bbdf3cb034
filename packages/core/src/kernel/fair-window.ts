/**
 * Limits the total weight of running items to `size`; the last one started may exceed what is left. Waiting items are started in chunks of
 * one key, and keys take turns, so a key with many items does not block the others.
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
  /** Starts these items; the owner of the window calls `done` when they finish. Must not throw. */
  readonly begin: (items: readonly T[]) => void
  /** Called when no item is waiting or running. */
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

  /** Items that finish synchronously free room for the next ones in this loop, without recursion. */
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
    /** Appends the items behind the others of their key. */
    add: (key: string, items: readonly T[]): void => {
      if (items.length === 0) return
      const queue = waiting.get(key)
      if (queue) for (const item of items) queue.push(item)
      else waiting.set(key, [...items])
      pump()
    },
    /** Reports that items of this total weight have finished. */
    done: (weight: number): void => {
      free += weight
      pump()
      if (free === size && waiting.size === 0) emptied?.()
    },
  }
}
export type FairWindow<T> = ReturnType<typeof fairWindow<T>>
