import type { Tell } from '../../events/event.js'
import { grouped } from '../../kernel/grouped.js'
import { collected } from '../../kernel/listing.js'
import type { Clock, Log, Sleep } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { WakeUp } from '../../kernel/wake-up.js'
import type { Project } from '../../projects/project.js'
import type { Pace } from '../channels/pace.js'
import type { Deliveries, Mailer, Settlement } from '../ledger/deliveries.js'
import { type Delivery, dispatchOf, type Lane, type Queue } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { Hand } from './delivering.js'
import type { DispatchEnds } from './dispatch-ends.js'
import type { Expander } from './expansion.js'
import { lookout } from './lookout.js'
import { reportGrace } from './outcomes.js'
import { settling } from './settling.js'

export type WorkerSettings = {
  /** Names this process in leases; no two living processes share a name. */
  readonly workerName: string
}

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; projects: Project }>
  readonly deliveries: Deliveries
  readonly mailer: Pick<Mailer, 'reportsSends'>
  readonly expander: Expander
  readonly ends: DispatchEnds
  readonly pace: Pace
  readonly tell: Tell
  /** Woken when something was accepted in this process: it looks at once instead of at the next poll. */
  readonly wakeUp: WakeUp
  readonly deliver: (hand: Hand) => (claimed: readonly Delivery[]) => Promise<void>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly settings: WorkerSettings
}

/** How many deliveries one round claims. All rounds together are the in-flight window: what a crash may send twice. */
const roundSize = 1_000
/** The most that this worker has at once, whatever the number of projects: one round that is sent, and one that is prepared. */
const mostHeld = 2 * roundSize
const lanes: readonly Lane[] = ['transactional', 'bulk', 'bulk']

/** Leases are renewed every few seconds; what a dead worker had is taken over when they have run out. */
const leaseTime = 20_000
const idleTime = 200
/** How old the store's last answer to what there is to do may be, and where there was nothing for long. A wake-up asks at once. */
const lookTimes = { first: 3_000, longest: 5_000 }
/** How old may be what is known of a project's pace. */
const projectTime = 5_000
const flushTime = 1_000
const renewTime = 5_000
/** How often what dead workers had is looked for: less often than leases run out. */
const takeOverTime = 15_000
/** How often the progress of a dispatch is noted while this worker has more of it. */
const progressTime = 10_000
/** How long a dispatch is left to the worker that expanded a page of it faster. */
const yieldTime = 30_000
/** A dispatch on which nothing has moved for so long has an error that nobody saw. */
const stallTime = 30 * 60_000
const retryTime = 1_000

/**
 * The sending engine of one process. Any number of them may work on one store: every delivery is leased to one at a time, and
 * what a dead worker had is taken over when its lease has passed.
 */
export const sendingWorker = (deps: Deps) => {
  const { repositories, deliveries, mailer, expander, ends, pace, tell, wakeUp, clock, sleep, log, settings } = deps
  const { workerName: worker } = settings
  /** What this worker has, and until when. */
  const held = new Map<string, number>()
  /** Of these, the outcome is known and not yet durable. */
  const unrecorded = new Set<string>()
  /** When the progress of a dispatch was noted that this worker still has deliveries of. */
  const movedAt = new Map<string, number>()
  /** Those of which this worker has expanded a page, until they are no longer among those that are to be expanded. */
  const expandedHere = new Set<string>()
  /** Dispatches that another worker expands, and until when they are left to it. */
  const yielded = new Map<string, number>()
  const projects = new Map<string, { readonly project: Project | undefined; readonly until: number }>()
  const atWork = new Set<Promise<void>>()
  let stopping: AbortController | undefined
  let paused = false
  let running: Promise<unknown> = Promise.resolve()
  let startedAt = 0

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  const recorded = async (settlements: readonly Settlement[]) => {
    for (const { _id } of settlements) {
      unrecorded.delete(_id)
      held.delete(_id)
    }
    const open = new Set([...[...held.keys()].map(dispatchOf), ...expandedHere])
    for (const dispatchId of new Set(settlements.map(({ _id }) => dispatchOf(_id)))) {
      const now = clock().getTime()
      if (open.has(dispatchId) && now - (movedAt.get(dispatchId) ?? 0) < progressTime) continue
      if (open.has(dispatchId)) movedAt.set(dispatchId, now)
      else movedAt.delete(dispatchId)
      await ends.moved(dispatchId)
    }
  }

  const { settle, flush } = settling({ deliveries, tell, recorded })
  const deliver = deps.deliver({
    settle: (settled) => {
      unrecorded.add(settled.settlement._id)
      return settle(settled)
    },
    holds: (id) => (held.get(id) ?? 0) > clock().getTime(),
    stopping: () => stopping?.signal.aborted === true,
  })

  const dueQueues = lookout({
    ask: () => deliveries.due(iso()),
    isNothing: (queues) => queues.length === 0,
    clock,
    wakeUp,
    times: lookTimes,
  })
  /** Queues, by their projects, that this worker has made deliveries for, and not had all of. */
  const made = new Map<string, Queue>()
  /** Queues of that answer of which this worker has had all there was. */
  const drained = new WeakSet<Queue>()
  const expanding = lookout({
    ask: () => collected(repositories.dispatches.each({ stage: 'expanding' })),
    isNothing: (dispatches) => dispatches.length === 0,
    clock,
    wakeUp,
    times: { first: lookTimes.longest, longest: lookTimes.longest },
  })

  const finishExpanded = async (left: readonly Dispatch[]): Promise<void> => {
    if (expandedHere.size === 0) return
    const ids = new Set(left.map(({ _id }) => _id))
    for (const _id of [...expandedHere].filter((one) => !ids.has(one))) {
      await ends.finishIfDone(_id)
      expandedHere.delete(_id)
    }
  }

  const expandSome = async (): Promise<boolean> => {
    let moved = false
    const dispatches = await expanding.answer()
    await finishExpanded(dispatches)
    for (const dispatch of dispatches) {
      try {
        const now = clock().getTime()
        const until = yielded.get(dispatch._id)
        if (until !== undefined) {
          // What was answered is older than what the other has done since.
          if (until <= now && yielded.delete(dispatch._id)) expanding.forget()
          continue
        }
        const isMine = await expander.expandPage(dispatch)
        if (!isMine) yielded.set(dispatch._id, now + yieldTime)
        expanding.forget()
        if (isMine) made.set(dispatch.projectId, { lane: 'bulk', projectId: dispatch.projectId })
        expandedHere.add(dispatch._id)
        moved = isMine || moved
      } catch (error) {
        log('error', 'A dispatch could not be expanded', { dispatchId: dispatch._id, error })
      }
    }
    return moved
  }

  /** A project as it was lately: how fast it may send seldom changes. */
  const paced = async (projectId: string): Promise<Project | undefined> => {
    const now = clock().getTime()
    const known = projects.get(projectId)
    if (known && now < known.until) return known.project
    for (const [id, { until }] of projects) if (until <= now) projects.delete(id)
    const project = await repositories.projects.get({ _id: projectId })
    projects.set(projectId, { project, until: now + projectTime })
    return project
  }

  /** What is due as far as is known: what was answered, and what this worker has made since. */
  const queuesOf = async (lane: Lane): Promise<readonly Queue[]> => {
    const due = (await dueQueues.answer()).filter((one) => one.lane === lane && !drained.has(one))
    const known = new Map(due.map((one) => [one.projectId, one]))
    if (lane === 'bulk') for (const [projectId, queue] of made) known.set(projectId, queue)
    return [...known.values()]
  }

  const claim = async (lane: Lane, busy: ReadonlySet<string>): Promise<readonly Delivery[]> => {
    if (held.size >= mostHeld) return []
    const queues = (await queuesOf(lane)).filter(({ projectId }) => !busy.has(projectId))
    const share = Math.ceil(roundSize / Math.max(1, queues.length))
    const claimed: Delivery[] = []
    for (const queue of queues) {
      const project = await paced(queue.projectId)
      const limit = project ? await pace.take(project, lane, share) : share
      if (limit > 0) {
        const some = await deliveries.claim({ queue, worker, now: iso(), leaseUntil: iso(leaseTime), limit })
        if (some.length < limit) {
          drained.add(queue)
          if (made.get(queue.projectId) === queue) made.delete(queue.projectId)
        }
        claimed.push(...some)
      }
      if (claimed.length >= roundSize) break
    }
    for (const { _id, leaseUntil } of claimed) held.set(_id, Date.parse(leaseUntil ?? ''))
    return claimed
  }

  const work = async (claimed: readonly Delivery[]): Promise<void> => {
    try {
      await deliver(claimed)
    } finally {
      await flush().finally(() => {
        // What never came to an outcome is left to its lease; what has one is held until it is recorded.
        for (const { _id } of claimed) if (!unrecorded.has(_id)) held.delete(_id)
      })
    }
  }

  /** One claim, and the work of each project that follows from it. Who is busy is left out: slow mails keep nobody else's waiting. */
  const begin = async (lane: Lane, busy: Set<string>): Promise<readonly Promise<void>[]> =>
    [...grouped(await claim(lane, busy), ({ projectId }) => projectId)].map(([projectId, claimed]) => {
      busy.add(projectId)
      const working = work(claimed).finally(() => {
        busy.delete(projectId)
        atWork.delete(working)
      })
      atWork.add(working)
      return working
    })

  /** Answers whether there was anything to do, when all of it is done. */
  const round = async (lane: Lane): Promise<boolean> => {
    const begun = await begin(lane, new Set())
    await Promise.all(begun)
    return begun.length > 0
  }

  /** As `round`, but looks again for other projects while some have work. */
  const lookFor = (lane: Lane) => {
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
  }

  const renew = async () => {
    const now = clock().getTime()
    const soon = [...held].filter(([, leased]) => leased - now < leaseTime - renewTime)
    if (soon.length === 0) return
    const until = now + leaseTime
    const ids = soon.map(([id]) => id)
    const still = await deliveries.renew(ids, worker, new Date(until).toISOString())
    for (const id of still) if (held.has(id)) held.set(id, until)
  }

  const takeOver = async () => {
    const lost = await deliveries.reclaim(iso(), iso(mailer.reportsSends ? reportGrace : 0))
    if (lost === 0) return
    dueQueues.forget()
    log('warn', 'Deliveries of a worker that died were taken over', { deliveries: lost })
  }

  /** Runs the step again and again; after an error, which is logged, with a pause. */
  const loop = async (name: string, pause: number, step: () => Promise<boolean>, signal: AbortSignal) => {
    while (!signal.aborted) {
      const rest = await step().then(
        (busy) => (busy ? 0 : pause),
        (error) => {
          log('error', `Sending: ${name} failed and will be tried again`, { error })
          return retryTime
        },
      )
      if (rest > 0 && !signal.aborted) await sleep(rest, wakeUp.signal())
    }
  }

  return {
    /** Begins to expand, claim and send. */
    start: (): void => {
      if (stopping) return
      stopping = new AbortController()
      startedAt = clock().getTime()
      const { signal } = stopping
      const unlessPaused = (step: () => Promise<boolean>) => async () => !paused && (await step())
      running = Promise.all([
        loop('expanding', idleTime, unlessPaused(expandSome), signal),
        ...lanes.map((lane) => loop(`the ${lane} lane`, idleTime, unlessPaused(lookFor(lane)), signal)),
        loop('recording outcomes', flushTime, () => flush().then(() => false), signal),
        // Never behind what others have left, which may be much: this worker's own leases would run out meanwhile.
        loop('renewing leases', renewTime, () => renew().then(() => false), signal),
        loop('taking over', takeOverTime, () => takeOver().then(() => false), signal),
      ])
    },

    /** Claims nothing more until `resume`; what is under way is finished. */
    pause: (): void => {
      paused = true
    },
    resume: (): void => {
      paused = false
      startedAt = clock().getTime()
      wakeUp.wake()
    },
    isPaused: (): boolean => paused,

    /** Claims nothing more, finishes and records what is under way. What cannot be finished falls to another worker by its lease. */
    stop: async (): Promise<void> => {
      stopping?.abort()
      wakeUp.wake()
      await running
      await Promise.allSettled(atWork)
      await flush()
      stopping = undefined
    },

    /** Does all that is due now, in this call: for tests and for those who run the engine themselves. */
    runUntilIdle: async (): Promise<void> => {
      for (;;) {
        dueQueues.forget()
        expanding.forget()
        yielded.clear()
        projects.clear()
        await renew()
        await takeOver()
        const moved = [await expandSome(), await round('transactional'), await round('bulk')]
        if (!moved.includes(true)) return
      }
    },

    /** Now and then: ends what has no open delivery left, and what has stood still for 30 minutes while this worker was at work. */
    sweep: async (): Promise<void> => {
      for (const dispatch of await collected(
        repositories.dispatches.each({ stage: ['expanding', 'sending', 'finishing'] }),
      )) {
        await ends.finishIfDone(dispatch._id)
        const since = Math.max(Date.parse(dispatch.progressAt), startedAt)
        if (dispatch.stage !== 'finishing' && !paused && stopping && clock().getTime() - since > stallTime)
          await ends.stop(dispatch._id, 'No progress for 30 minutes.')
      }
    },
  }
}
export type SendingWorker = ReturnType<typeof sendingWorker>
