const batchLimit = 1_000

type Waiting<T, R> = {
  readonly given: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/** One batch per event loop turn. If `work` throws, all callers get the error. */
export const batcher = <T, R>(
  work: (given: readonly T[]) => Promise<readonly PromiseSettledResult<R>[]>,
): ((given: T) => Promise<R>) => {
  let waiting: Waiting<T, R>[] = []

  const doAll = async (all: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await work(all.map(({ given }) => given))
      for (const [n, { resolve, reject }] of all.entries()) {
        const result = results[n]
        if (result?.status === 'fulfilled') resolve(result.value)
        else reject(result?.reason)
      }
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }

  const begin = () => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += batchLimit) void doAll(all.slice(from, from + batchLimit))
  }

  return (given) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(begin)
      waiting.push({ given, resolve, reject })
    })
}
