type Lane = { running: number; readonly waiting: (() => void)[] }

/** Runs at most `atOnce` tasks per key, in order. Returns undefined if `waiting` tasks of the key wait already. */
export const keyedLimiter = ({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) => {
  const lanes = new Map<string, Lane>()

  const laneOf = (key: string): Lane => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] }
    lanes.set(key, lane)
    return lane
  }

  const leave = (key: string, lane: Lane): void => {
    const next = lane.waiting.shift()
    if (next) next()
    else lane.running -= 1
    if (lane.running === 0) lanes.delete(key)
  }

  return async <T>(key: string, task: () => Promise<T>): Promise<{ readonly value: T } | undefined> => {
    const lane = laneOf(key)
    if (lane.running < atOnce) lane.running += 1
    else if (lane.waiting.length >= waiting) return undefined
    else await new Promise<void>((begin) => lane.waiting.push(begin))
    try {
      return { value: await task() }
    } finally {
      leave(key, lane)
    }
  }
}
