/** A task of an owner, with what it keeps in memory while it waits. */
export type ScheduledTask = {
  readonly owner: string
  /** 0 unless given. */
  readonly bytes?: number
  /** Tasks of one owner begin in this order, those of the same place in the order in which they came. 0 unless given. */
  readonly place?: number
}

export type SchedulerLimits = {
  /** Tasks that run at the same time, of all owners. */
  readonly atOnce: number
  /** As many of one owner; by default `atOnce`. */
  readonly atOnceOfOwner?: number
  /** Tasks that wait, of one owner and of all; by default any number. */
  readonly waitingOfOwner?: number
  readonly waitingOfAll?: number
  /** Bytes of the tasks that wait, of one owner and of all; by default any number. */
  readonly bytesOfOwner?: number
  readonly bytesOfAll?: number
}

type Share<T> = { readonly waiting: T[]; bytes: number; running: number; used: number; usedAt: number; begunAt: number }

/** Time used counts half after so many milliseconds. */
const halfLife = 60_000
/** Less than this of a time used is as good as none, in milliseconds. */
const forgotten = 1

/**
 * Shares a number of places (threads, processes) among owners. The next task is of the owner with the fewest tasks running; of those, of
 * the one that has used least time lately; of those, of the one whose last task began first. So an owner that uses much goes behind the
 * others, and has all places while nobody else waits. Where tasks can be paused, `pressure` says when. Times are in milliseconds.
 */
export const fairScheduler = <T extends ScheduledTask>(
  {
    atOnce,
    atOnceOfOwner = atOnce,
    waitingOfOwner = Number.POSITIVE_INFINITY,
    waitingOfAll = Number.POSITIVE_INFINITY,
    bytesOfOwner = Number.POSITIVE_INFINITY,
    bytesOfAll = Number.POSITIVE_INFINITY,
  }: SchedulerLimits,
  now: () => number,
) => {
  const shares = new Map<string, Share<T>>()
  let running = 0
  let waiting = 0
  let bytes = 0
  let begun = 0

  const shareOf = ({ owner }: ScheduledTask): Share<T> => {
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

  /** The share that comes next, whether or not there is a place. */
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

  /** The task runs no longer. */
  const charge = (task: T, used: number) => {
    const share = shareOf(task)
    const at = now()
    share.used = usedBy(share, at) + used
    share.usedAt = at
    share.running -= 1
    running -= 1
  }

  return {
    /** Lets the task wait; false, and it does not, where too much waits already. */
    add: (task: T): boolean => {
      const share = shareOf(task)
      const { bytes: size = 0 } = task
      const isOver = share.waiting.length >= waitingOfOwner || share.bytes + size > bytesOfOwner
      if (isOver || waiting >= waitingOfAll || bytes + size > bytesOfAll) return false
      putIn(task)
      return true
    },

    /** The task that may begin now; it waits until `begin`. Undefined where none may. */
    first,
    begin,
    /** Begins the first task. */
    next: (): T | undefined => {
      const task = first()
      if (task) begin(task)
      return task
    },

    /** A task that ran is over. `used`: the milliseconds with which its owner is charged. */
    done: (task: T, used: number): void => {
      charge(task, used)
      forget()
    },

    /** A task that ran is paused: it waits again, whatever else waits, and will be begun again. */
    pause: (task: T, used: number): void => {
      charge(task, used)
      putIn(task)
    },

    /**
     * Whether a running task should be paused: `now` where its owner has several places and another owner that waits has none, `soon`
     * where somebody else, or an earlier task of its owner, waits for its only one.
     */
    pressure: (task: T): 'none' | 'soon' | 'now' => {
      if (running < atOnce) return 'none'
      const best = nextShare()
      const own = shareOf(task)
      if (best && best !== own && best.running === 0) return own.running > 1 ? 'now' : 'soon'
      const [earlier] = own.waiting
      return earlier && (earlier.place ?? 0) < (task.place ?? 0) ? 'soon' : 'none'
    },

    /** Whether no task waits, and there is a place for one more of this owner. */
    hasRoom: ({ owner }: Pick<ScheduledTask, 'owner'>): boolean =>
      waiting === 0 && running < atOnce && (shares.get(owner)?.running ?? 0) < atOnceOfOwner,

    /** Takes back a task that waits; false where it does not. */
    remove: takeOut,

    /** Takes back all tasks that wait. */
    drain: (): readonly T[] => {
      const all = [...shares.values()].flatMap((share) => share.waiting.splice(0).map((task) => ({ share, task })))
      for (const { share, task } of all) counted(share, task, -1)
      return all.map(({ task }) => task)
    },
  }
}
export type FairScheduler<T extends ScheduledTask> = ReturnType<typeof fairScheduler<T>>
