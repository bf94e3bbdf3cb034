/**
 * Runs at most `n` tasks at once and calls a task only when it is its turn, so that at most `n` hold memory. Keys
 * take turns; tasks of one key start in order.
 */
export const fairLimiter = (n: number) => {
  const waiting = new Map<string, (() => void)[]>()
  let free = n

  const begin = (): boolean => {
    for (const [key, queue] of waiting) {
      const next = queue.shift()
      waiting.delete(key)
      if (queue.length > 0) waiting.set(key, queue)
      next?.()
      return true
    }
    return false
  }

  return async <T>(task: () => Promise<T>, key = ''): Promise<T> => {
    if (free > 0) free -= 1
    else
      await new Promise<void>((resolve) => {
        const queue = waiting.get(key)
        if (queue) queue.push(resolve)
        else waiting.set(key, [resolve])
      })
    try {
      return await task()
    } finally {
      if (!begin()) free += 1
    }
  }
}
