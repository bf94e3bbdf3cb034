export type FairSchedulerTask = {
  readonly owner: string
  /** Memory of the waiting task. */
  readonly bytes?: number
  /** Tasks of one owner start in ascending order of this, then of arrival. */
  readonly place?: number
}

export type FairSchedulerLimits = {
  /** For all owners together. */
  readonly atOnce: number
  /** Default: `atOnce`. */
  readonly atOnceOfOwner?: number
  /** Default: unlimited. */
  readonly waitingOfOwner?: number
  readonly waitingOfAll?: number
  /** Default: unlimited. */
  readonly bytesOfOwner?: number
  readonly bytesOfAll?: number
}

type Share<T> = { readonly waiting: T[]; bytes: number; running: number; used: number; usedAt: number; begunAt: number }

/** Half-life of used time, in ms. */
const halfLife = 60_000
/** In ms. */
const forgotten = 1

/**
 * Shares `atOnce` places (threads, processes) among owners. Next is the owner with the fewest running tasks, then
 * the least recent usage, then the earliest last start. `pressure` says when to pause a task. Times in ms.
 */
export const fairScheduler = <T extends FairSchedulerTask>(
  {
    atOnce,
    atOnceOfOwner = atOnce,
    waitingOfOwner = Number.POSITIVE_INFINITY,
    waitingOfAll = Number.POSITIVE_INFINITY,
    bytesOfOwner = Number.POSITIVE_INFINITY,
    bytesOfAll = Number.POSITIVE_INFINITY,
  }: FairSchedulerLimits,
  now: () => number,
) => {
  const shares = new Map<string, Share<T>>()
  let running = 0
  let waiting = 0
  let bytes = 0
  let begun = 0

  const shareOf = ({ owner }: FairSchedulerTask): Share<T> => {
    const known = shares.get(owner)
    if (known) return known
    const share = { waiting: [], bytes: 0, running: 0, used: 0, usedAt: now(), begunAt: 0 }
    shares.set(owner, share)
    return share
  }

  const usedBy = ({ used, usedAt }: Share<T>, at: number) => used * 2 ** ((usedAt - at) / halfLife)

  const forget = () => {
    const at = now()
    for (const [owner, share] of shares)
      if (share.running === 0 && share.waiting.length === 0 && usedBy(share, at) < forgotten) shares.delete(owner)
  }

  const counted = (share: Share<T>, task: T, by: 1 | -1) => {
    const change = by * (task.bytes ?? 0)
    share.bytes += change
    bytes += change
    waiting += by
  }

  const putIn = (task: T) => {
    const share = shareOf(task)
    const { place = 0 } = task
    const after = share.waiting.findLastIndex((one) => (one.place ?? 0) <= place)
    share.waiting.splice(after + 1, 0, task)
    counted(share, task, 1)
  }

  const takeOut = (task: T): boolean => {
    const share = shareOf(task)
    const index = share.waiting.indexOf(task)
    if (index === -1) return false
    share.waiting.splice(index, 1)
    counted(share, task, -1)
    return true
  }

  /** Whether or not a place is free. */
  const nextShare = (): Share<T> | undefined => {
    if (waiting === 0) return undefined
    const at = now()
    const isBefore = (a: Share<T>, b: Share<T>) =>
      (a.running - b.running || usedBy(a, at) - usedBy(b, at) || a.begunAt - b.begunAt) < 0
    let best: Share<T> | undefined
    for (const share of shares.values())
      if (share.waiting.length > 0 && share.running < atOnceOfOwner && (!best || isBefore(share, best))) best = share
    return best
  }

  const first = (): T | undefined => (running < atOnce ? nextShare()?.waiting[0] : undefined)

  const begin = (task: T) => {
    const share = shareOf(task)
    takeOut(task)
    share.running += 1
    running += 1
    begun += 1
    share.begunAt = begun
  }

  const charge = (task: T, used: number) => {
    const share = shareOf(task)
    const at = now()
    share.used = usedBy(share, at) + used
    share.usedAt = at
    share.running -= 1
    running -= 1
  }

  return {
    /** Returns false, without queueing the task, if a limit on waiting tasks is reached. */
    add: (task: T): boolean => {
      const share = shareOf(task)
      const { bytes: size = 0 } = task
      const isOver = share.waiting.length >= waitingOfOwner || share.bytes + size > bytesOfOwner
      if (isOver || waiting >= waitingOfAll || bytes + size > bytesOfAll) return false
      putIn(task)
      return true
    },

    /** The task that may start now; it waits until `begin`. */
    first,
    begin,
    next: (): T | undefined => {
      const task = first()
      if (task) begin(task)
      return task
    },

    /** `used`: ms charged to the owner. */
    done: (task: T, used: number): void => {
      charge(task, used)
      forget()
    },

    /** Queues a paused task again, regardless of the limits. */
    pause: (task: T, used: number): void => {
      charge(task, used)
      putIn(task)
    },

    /**
     * Whether to pause a running task for another owner without a place: `now` if this owner has several, `soon` if
     * it has one. Also `soon` for a task of the same owner with a lower `place`.
     */
    pressure: (task: T): 'none' | 'soon' | 'now' => {
      if (running < atOnce) return 'none'
      const best = nextShare()
      const own = shareOf(task)
      if (best && best !== own && best.running === 0) return own.running > 1 ? 'now' : 'soon'
      const [earlier] = own.waiting
      return earlier && (earlier.place ?? 0) < (task.place ?? 0) ? 'soon' : 'none'
    },

    hasRoom: ({ owner }: Pick<FairSchedulerTask, 'owner'>): boolean =>
      waiting === 0 && running < atOnce && (shares.get(owner)?.running ?? 0) < atOnceOfOwner,

    /** Returns false if the task was not waiting. */
    remove: takeOut,

    drain: (): readonly T[] => {
      const all = [...shares.values()].flatMap((share) => share.waiting.splice(0).map((task) => ({ share, task })))
      for (const { share, task } of all) counted(share, task, -1)
      return all.map(({ task }) => task)
    },
  }
}
