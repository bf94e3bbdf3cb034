/** Limits the weight of running items to `size`; the last one started may exceed it. Keys take turns in chunks. */
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
  /** Starts items; call `done` when they finish. Must not throw. */
  readonly begin: (items: readonly T[]) => void
  /** Called when nothing waits or runs. */
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

  /** Items that finish synchronously start the next ones in this loop, without recursion. */
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
    add: (key: string, items: readonly T[]): void => {
      if (items.length === 0) return
      const queue = waiting.get(key)
      if (queue) for (const item of items) queue.push(item)
      else waiting.set(key, [...items])
      pump()
    },
    done: (weight: number): void => {
      free += weight
      pump()
      if (free === size && waiting.size === 0) emptied?.()
    },
  }
}
export type FairWindow<T> = ReturnType<typeof fairWindow<T>>
