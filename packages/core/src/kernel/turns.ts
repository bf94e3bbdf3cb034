/**
 * Runs tasks, at most `n` at once, in the order in which they were given. A task is begun only when it has its turn, so what it
 * would hold in memory is held by `n` tasks at most.
 */
export const turns = (n: number) => {
  const waiting: (() => void)[] = []
  let free = n

  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
