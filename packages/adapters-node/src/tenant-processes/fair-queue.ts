/** A piece of work that waits: whose it is, and what it keeps in memory until it is begun. */
export type Queued = { readonly projectId: string; readonly bytes: number }

type Share<J> = { waiting: J[]; bytes: number; running: number; used: number; usedAt: number; servedAt: number }

export type FairQueueLimits = {
  /** Jobs of one project that run at the same time. */
  readonly atOnce: number
  /** Jobs of one project that wait, and their bytes. */
  readonly mostWaiting: number
  readonly mostBytes: number
  /** Bytes that wait of all projects together. */
  readonly mostBytesOfAll: number
}

/** Time used counts half after so many milliseconds. */
const halfLife = 60_000
/** What is left of a time used that is as good as none. */
const forgotten = 1

/**
 * Fair shares by time used: the next job is of the project that has used least lately, and of those that have used the same the one
 * that was served least lately. A project that uses much goes behind the others and loses nothing else. Times are milliseconds.
 */
export const fairQueue = <J extends Queued>(
  { atOnce, mostWaiting, mostBytes, mostBytesOfAll }: FairQueueLimits,
  now: () => number,
) => {
  const shares = new Map<string, Share<J>>()
  let bytesOfAll = 0
  let served = 0

  const shareOf = (projectId: string): Share<J> => {
    const known = shares.get(projectId)
    if (known) return known
    const share = { waiting: [], bytes: 0, running: 0, used: 0, usedAt: now(), servedAt: 0 }
    shares.set(projectId, share)
    return share
  }

  const usedBy = ({ used, usedAt }: Share<J>, at: number) => used * 2 ** ((usedAt - at) / halfLife)

  const forget = () => {
    const at = now()
    for (const [projectId, share] of shares)
      if (share.running === 0 && share.waiting.length === 0 && usedBy(share, at) < forgotten) shares.delete(projectId)
  }

  const taken = (share: Share<J>, job: J) => {
    share.bytes -= job.bytes
    bytesOfAll -= job.bytes
  }

  return {
    /** Lets the job wait for its turn; false where too much is waiting already. */
    add: (job: J): boolean => {
      const share = shareOf(job.projectId)
      const tooMany = share.waiting.length >= mostWaiting || share.bytes + job.bytes > mostBytes
      if (tooMany || bytesOfAll + job.bytes > mostBytesOfAll) return false
      share.waiting.push(job)
      share.bytes += job.bytes
      bytesOfAll += job.bytes
      return true
    },

    /** The job whose turn it is, which runs from now on; undefined where none may. */
    next: (): J | undefined => {
      const at = now()
      let best: Share<J> | undefined
      for (const share of shares.values()) {
        if (share.waiting.length === 0 || share.running >= atOnce) continue
        const less = best ? usedBy(share, at) - usedBy(best, at) : -1
        if (less < 0 || (less === 0 && best && share.servedAt < best.servedAt)) best = share
      }
      const job = best?.waiting.shift()
      if (!best || !job) return undefined
      taken(best, job)
      best.running += 1
      served += 1
      best.servedAt = served
      return job
    },

    /** A job that ran is over, and took so long. */
    done: ({ projectId }: J, milliseconds: number): void => {
      const share = shareOf(projectId)
      const at = now()
      share.used = usedBy(share, at) + milliseconds
      share.usedAt = at
      share.running -= 1
      forget()
    },

    /** Takes all back that wait. */
    drain: (): readonly J[] => {
      const waiting = [...shares.values()].flatMap((share) => share.waiting)
      shares.clear()
      bytesOfAll = 0
      return waiting
    },

    /** Takes a job back that waits; false where it has begun. */
    remove: (job: J): boolean => {
      const share = shareOf(job.projectId)
      const index = share.waiting.indexOf(job)
      if (index === -1) return false
      share.waiting.splice(index, 1)
      taken(share, job)
      return true
    },
  }
}
