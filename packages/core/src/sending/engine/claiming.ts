import type { Clock, Log, Sleep } from '../../kernel/ports.js'
import type { WakeUp } from '../../kernel/wake-up.js'
import type { Lane } from '../channels/lane.js'
import type { Leave, Leaves } from '../channels/leaves.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Delivery, Queue } from '../ledger/delivery.js'
import type { Delivering } from './delivering.js'
import type { DueQueues } from './due-queues.js'
import type { Leases } from './leases.js'
import { retryTime } from './loop.js'
import type { PacedProjects } from './paced-projects.js'
import { places } from './places.js'

type Deps = {
  readonly deliveries: Pick<Deliveries, 'claim'>
  readonly due: DueQueues
  readonly leaves: Pick<Leaves, 'take'>
  readonly projects: PacedProjects
  readonly leases: Leases
  readonly delivering: Pick<Delivering, 'claimed'>
  readonly worker: string
  readonly wakeUp: WakeUp
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
}

/** What was claimed of a project's queue, and the leave that it was claimed by. */
type Claimed = {
  readonly projectId: string
  readonly accountId: string
  readonly claimed: readonly Delivery[]
  readonly leave: Leave
}

/** How many deliveries one round claims. */
const roundSize = 200
/** The most that this worker has claimed at once, each account within its share. */
const mostClaimed = 5 * roundSize

/** So many rounds of a project are under way at once: single mails are many small rounds, and none waits for the one before. */
const roundsAtOnce: Readonly<Record<Lane, number>> = { transactional: 4, bulk: 1 }

/** How long a lane waits before it looks again. */
export const idleTime = 200

/** Of a project that is gone: whoever prepares its mails will say so. */
export const freely = (n: number): Leave => ({ n, use: async (_channel, asked) => asked })

/** What waits in the queue: retries, single mails, and pages that found no room. Lane by lane, project by project. */
export const claiming = (deps: Deps) => {
  const { deliveries, due, leaves, projects, leases, delivering, worker, wakeUp, clock, sleep, log } = deps
  const held = places(mostClaimed)

  /** Whether more single mails wait than a round takes, and how many were claimed since somebody asked. */
  let isPressed = false
  let singles = 0

  /** Claims at most `limit` of a queue, for which its account keeps places. */
  const claimOf = async (queue: Queue, lane: Lane, limit: number): Promise<Claimed> => {
    const { projectId } = queue
    const project = await projects.get(projectId)
    const accountId = project?.accountId ?? projectId
    const wanted = Math.min(limit, held.left(accountId))
    held.take(accountId, wanted)
    let claimed: readonly Delivery[] = []
    try {
      const leave = project && wanted > 0 ? await leaves.take(project, lane, wanted) : freely(wanted)
      const asked = { queue, worker, now: clock().toISOString(), leaseUntil: leases.end(), limit: leave.n }
      if (leave.n > 0) claimed = await deliveries.claim(asked)
      leases.hold(claimed)
      return { projectId, accountId, claimed, leave }
    } finally {
      held.free(accountId, wanted - claimed.length)
    }
  }

  const claim = async (lane: Lane, busy: ReadonlyMap<string, number>): Promise<readonly Claimed[]> => {
    const queues = (await due.of(lane)).filter(({ projectId }) => (busy.get(projectId) ?? 0) < roundsAtOnce[lane])
    const share = Math.ceil(roundSize / Math.max(1, queues.length))
    const found: Claimed[] = []
    let n = 0
    let isFull = false
    for (const queue of queues) {
      const one = await claimOf(queue, lane, share)
      const { claimed, leave } = one
      if (leave.n === 0) continue
      if (claimed.length < leave.n) due.drained(queue)
      isFull ||= claimed.length === leave.n
      if (claimed.length > 0) found.push(one)
      n += claimed.length
      if (n >= roundSize) break
    }
    if (lane === 'transactional') {
      isPressed = isFull
      singles += n
    }
    return found
  }

  /** One claim, and the work of each project that follows from it. Who is busy is left out: slow mails keep nobody else's waiting. */
  const begin = async (lane: Lane, busy: Map<string, number>): Promise<readonly Promise<void>[]> =>
    (await claim(lane, busy)).map(({ projectId, accountId, claimed, leave }) => {
      busy.set(projectId, (busy.get(projectId) ?? 0) + 1)
      const ids = claimed.map(({ _id }) => _id)
      return leases.during(delivering.claimed(claimed, leave), ids).finally(() => {
        held.free(accountId, claimed.length)
        const left = (busy.get(projectId) ?? 1) - 1
        if (left > 0) busy.set(projectId, left)
        else busy.delete(projectId)
      })
    })

  return {
    /** Whether single mails wait that no round has taken yet: what goes to many is then to wait a little. */
    isPressed: (): boolean => isPressed,
    /** How many single mails were claimed since this was asked last. */
    singlesSince: (): number => {
      const since = singles
      singles = 0
      return since
    },

    /** Answers whether there was anything to do, when all of it is done. */
    round: async (lane: Lane): Promise<boolean> => {
      const begun = await begin(lane, new Map())
      await Promise.all(begun)
      return begun.length > 0
    },

    /** As `round`, but looks again for other projects while some have work. */
    lookFor: (lane: Lane) => {
      const busy = new Map<string, number>()
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
