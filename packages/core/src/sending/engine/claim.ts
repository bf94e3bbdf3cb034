import type { Runtime } from '../../kernel/ports.js'
import { cachedPoll, type WakeUpSignal } from '../../kernel/wake-up.js'
import type { Lane } from '../channels/channel.js'
import type { SendPermit, SendPermits } from '../channels/send-permits.js'
import type { Deliveries, Settlement } from '../ledger/deliveries.js'
import type { QueueKey } from '../ledger/delivery.js'
import type { InFlightDeliveries } from './in-flight.js'
import type { SendingPipeline } from './pipeline.js'
import type { OutcomeWriter } from './record.js'

type Deps = Pick<Runtime, 'clock' | 'sleep' | 'log'> & {
  readonly deliveries: Pick<Deliveries, 'due' | 'claim'>
  readonly permits: Pick<SendPermits, 'accountOf' | 'take'>
  readonly inFlight: InFlightDeliveries
  readonly pipeline: SendingPipeline
  readonly flush: OutcomeWriter['flush']
  readonly worker: string
  readonly wakeUp: WakeUpSignal
}

const roundSize = 200
const roundsAtOnce: Readonly<Record<Lane, number>> = { transactional: 4, bulk: 1 }
/** In ms. */
export const claimLoopPause = 200
const retryTime = 1_000
const pollInterval = { first: 3_000, longest: 5_000 }

/** Due queues that the store reported or this worker filled. */
const dueQueues = ({ deliveries, clock, wakeUp }: Deps) => {
  const poll = cachedPoll({
    query: () => deliveries.due(clock().toISOString()),
    isEmpty: (queues) => queues.length === 0,
    clock,
    wakeUp,
    interval: pollInterval,
  })
  const filled = new Map<string, QueueKey>()
  /** Queues of the last answer that this worker emptied; the next answer has new objects. */
  const emptied = new WeakSet<QueueKey>()
  let dueAgain = Number.POSITIVE_INFINITY

  return {
    of: async (lane: Lane): Promise<readonly QueueKey[]> => {
      if (dueAgain <= clock().getTime()) {
        dueAgain = Number.POSITIVE_INFINITY
        poll.invalidate()
      }
      const due = (await poll.answer()).filter((one) => one.lane === lane && !emptied.has(one))
      const known = new Map(due.map((one) => [one.projectId, one]))
      if (lane === 'bulk') for (const [projectId, queue] of filled) known.set(projectId, queue)
      return [...known.values()]
    },
    noteQueued: (projectId: string): void => {
      filled.set(projectId, { lane: 'bulk', projectId })
    },
    noteEmptied: (queue: QueueKey): void => {
      emptied.add(queue)
      if (filled.get(queue.projectId) === queue) filled.delete(queue.projectId)
    },
    notePutOff: (settlements: readonly Settlement[]): void => {
      for (const { to, notBefore } of settlements)
        if (to === 'queued' && notBefore) dueAgain = Math.min(dueAgain, Date.parse(notBefore))
    },
    invalidate: (): void => poll.invalidate(),
  }
}

/** Claims queued deliveries, project by project. */
export const deliveryClaimer = (deps: Deps) => {
  const { deliveries, permits, inFlight, pipeline, flush, worker, wakeUp, clock, sleep, log } = deps
  const due = dueQueues(deps)
  /** Whether the last round left transactional mails. */
  let isBehind = false
  let transactional = 0

  const claimFrom = async (queue: QueueKey, share: number) => {
    const { projectId, lane } = queue
    const accountId = await permits.accountOf(projectId)
    const wanted = Math.min(share, inFlight.roomOf('claim', accountId))
    if (wanted === 0) return { n: 0, hasMore: false }
    inFlight.reserve('claim', accountId, wanted)
    try {
      const permit = await permits.take(projectId, lane, wanted)
      if (permit.n === 0) return { n: 0, hasMore: false }
      return await startBatch(queue, accountId, permit)
    } finally {
      inFlight.unreserve('claim', accountId, wanted)
    }
  }

  const startBatch = async (queue: QueueKey, accountId: string, permit: SendPermit) => {
    const now = clock().toISOString()
    const claimed = await deliveries.claim({ queue, worker, now, leaseUntil: inFlight.leaseEnd(), limit: permit.n })
    if (claimed.length < permit.n) due.noteEmptied(queue)
    if (claimed.length === 0) return { n: 0, hasMore: false }
    const batch = inFlight.lease(
      'claim',
      claimed.map((delivery) => ({ delivery, accountId })),
    )
    return { n: claimed.length, hasMore: claimed.length === permit.n, sent: pipeline.send(batch, flush, permit) }
  }

  /** Skips projects at their limit, so slow mails delay no other project. */
  const startRound = async (lane: Lane, underWay: Map<string, number>): Promise<readonly Promise<void>[]> => {
    const queues = (await due.of(lane)).filter(({ projectId }) => (underWay.get(projectId) ?? 0) < roundsAtOnce[lane])
    const share = Math.ceil(roundSize / Math.max(1, queues.length))
    const started: Promise<void>[] = []
    let n = 0
    let hasMore = false
    for (const queue of queues) {
      const { projectId } = queue
      const claimed = await claimFrom(queue, share)
      n += claimed.n
      hasMore ||= claimed.hasMore
      if (claimed.sent) {
        underWay.set(projectId, (underWay.get(projectId) ?? 0) + 1)
        const ended = () => {
          const left = (underWay.get(projectId) ?? 1) - 1
          if (left > 0) underWay.set(projectId, left)
          else underWay.delete(projectId)
        }
        const sent = claimed.sent.finally(ended)
        // A rejection before the await would end the process.
        sent.catch(() => undefined)
        started.push(sent)
      }
      if (n >= roundSize) break
    }
    if (lane === 'transactional') {
      isBehind = hasMore
      transactional += n
    }
    return started
  }

  return {
    isBehind: (): boolean => isBehind,
    /** Since the last call. */
    takeTransactionalCount: (): number => {
      const n = transactional
      transactional = 0
      return n
    },
    noteQueued: due.noteQueued,
    notePutOff: due.notePutOff,
    invalidate: due.invalidate,

    /** Resolves when its mails are stored, with whether there was work. */
    roundUntilStored: async (lane: Lane): Promise<boolean> => {
      const started = await startRound(lane, new Map())
      await Promise.all(started)
      return started.length > 0
    },

    /** Each step ends after 200 ms at the latest, so that slow mails delay no other project's. */
    roundsOf: (lane: Lane) => {
      const underWay = new Map<string, number>()
      return async (): Promise<boolean> => {
        const started = await startRound(lane, underWay)
        if (started.length === 0) return false
        const over = new AbortController()
        wakeUp.signal().addEventListener('abort', () => over.abort(), { once: true, signal: over.signal })
        const failed = (error: unknown) => {
          log('error', `Sending: the ${lane} lane failed and will be tried again`, { error })
          return sleep(retryTime, over.signal)
        }
        const done = Promise.all(started).then(() => undefined, failed)
        await Promise.race([done, sleep(claimLoopPause, over.signal)])
        over.abort()
        return true
      }
    },
  }
}
