/**
 * Runs at most `n` tasks at once. A task function is called only when its turn comes, so at most `n` tasks hold memory. Tasks of one key
 * start in order; if several keys wait, they take turns, so a key with many waiting tasks does not block the others.
 */
export const fairLimiter = (n: number) => {
  const waiting = new Map<string, (() => void)[]>()
  let free = n

  /** Starts the next waiting task and moves its key behind the others. */
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
