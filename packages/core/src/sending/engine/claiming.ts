import type { Clock, Log, Sleep } from '../../kernel/ports.js'
import type { WakeUp } from '../../kernel/wake-up.js'
import type { Lane } from '../channels/lane.js'
import type { Leave, Leaves } from '../channels/leaves.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Delivery } from '../ledger/delivery.js'
import type { Delivering } from './delivering.js'
import type { DueQueues } from './due-queues.js'
import type { Leases } from './leases.js'
import { retryTime } from './loop.js'
import type { PacedProjects } from './paced-projects.js'

type Deps = {
  readonly deliveries: Pick<Deliveries, 'claim'>
  readonly due: DueQueues
  readonly leaves: Pick<Leaves, 'take'>
  readonly projects: PacedProjects
  readonly leases: Leases
  readonly delivering: Pick<Delivering, 'claimed'>
  /** How many of what this worker has are of pages, and not claimed. */
  readonly born: () => number
  readonly worker: string
  readonly wakeUp: WakeUp
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
}

/** What was claimed of a project's queue, and the leave that it was claimed by. */
type Claimed = { readonly projectId: string; readonly claimed: readonly Delivery[]; readonly leave: Leave }

/** How many deliveries one round claims. */
const roundSize = 200
/** The most that this worker has claimed at once, whatever the number of projects. */
const mostClaimed = 5 * roundSize

/** How long a lane waits before it looks again. */
export const idleTime = 200

/** Of a project that is gone: whoever prepares its mails will say so. */
const freely = (n: number): Leave => ({ n, use: async (_channel, asked) => asked })

/** What waits in the queue: retries, single mails, and pages that found no room. Lane by lane, project by project. */
export const claiming = (deps: Deps) => {
  const { deliveries, due, leaves, projects, leases, delivering, born, worker, wakeUp, clock, sleep, log } = deps

  const claim = async (lane: Lane, busy: ReadonlySet<string>): Promise<readonly Claimed[]> => {
    if (leases.size() - born() >= mostClaimed) return []
    const queues = (await due.of(lane)).filter(({ projectId }) => !busy.has(projectId))
    const share = Math.ceil(roundSize / Math.max(1, queues.length))
    const all: Claimed[] = []
    let n = 0
    for (const queue of queues) {
      const project = await projects.get(queue.projectId)
      const leave = project ? await leaves.take(project, lane, share) : freely(share)
      if (leave.n === 0) continue
      const now = clock().toISOString()
      const claimed = await deliveries.claim({ queue, worker, now, leaseUntil: leases.end(), limit: leave.n })
      leases.hold(claimed)
      if (claimed.length < leave.n) due.drained(queue)
      if (claimed.length > 0) all.push({ projectId: queue.projectId, claimed, leave })
      n += claimed.length
      if (n >= roundSize) break
    }
    return all
  }

  /** One claim, and the work of each project that follows from it. Who is busy is left out: slow mails keep nobody else's waiting. */
  const begin = async (lane: Lane, busy: Set<string>): Promise<readonly Promise<void>[]> =>
    (await claim(lane, busy)).map(({ projectId, claimed, leave }) => {
      busy.add(projectId)
      const ids = claimed.map(({ _id }) => _id)
      return leases.during(delivering.claimed(claimed, leave), ids).finally(() => busy.delete(projectId))
    })

  return {
    /** Answers whether there was anything to do, when all of it is done. */
    round: async (lane: Lane): Promise<boolean> => {
      const begun = await begin(lane, new Set())
      await Promise.all(begun)
      return begun.length > 0
    },

    /** As `round`, but looks again for other projects while some have work. */
    lookFor: (lane: Lane) => {
      const busy = new Set<string>()
      return async (): Promise<boolean> => {
        const begun = await begin(lane, busy)
        if (begun.length === 0) return false
        const over = new AbortController()
        const end = () => over.abort()
        wakeUp.signal().addEventListener('abort', end, { once: true, signal: over.signal })
        const failed = (error: unknown) => {
          log('error', `Sending: the ${lane} lane failed and will be tried again`, { error })
          return sleep(retryTime, over.signal)
        }
        const done = Promise.all(begun).then(() => undefined, failed)
        await Promise.race([done, sleep(idleTime, over.signal)])
        over.abort()
        return true
      }
    },
  }
}
export type Claiming = ReturnType<typeof claiming>
