/**
 * Runs tasks, at most `n` at once. A task is begun only when it has its turn, so what it would hold in memory is held by `n` tasks
 * at most. Those of one key keep their order, and where several keys wait, each has a task begun in turn: whoever has many
 * waiting does not keep the others from theirs.
 */
export const fairLimiter = (n: number) => {
  const waiting = new Map<string, (() => void)[]>()
  let free = n

  /** Begins what waits next, and puts its key behind the others. */
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
