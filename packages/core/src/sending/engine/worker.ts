import type { Publish } from '../../events/event.js'
import { collected } from '../../kernel/listing.js'
import type { Clock, Log, Sleep } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { wakeUp as makeWakeUp, type WakeUp } from '../../kernel/wake-up.js'
import type { Project } from '../../projects/project.js'
import { serverChannel } from '../channels/channel.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Lane } from '../channels/lane.js'
import type { Leave, Leaves } from '../channels/leaves.js'
import type { Deliveries, Settlement } from '../ledger/deliveries.js'
import { type Delivery, dispatchOf, type Queue } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { Delivering, Leased } from './delivering.js'
import type { DispatchEnds } from './dispatch-ends.js'
import type { Expander } from './expansion.js'
import type { WorkerContext } from './handing-over.js'
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
  readonly states: ChannelStates
  readonly expander: Expander
  readonly ends: DispatchEnds
  readonly leaves: Leaves
  readonly publish: Publish
  /** Woken when something was accepted in this process: it looks at once instead of at the next poll. */
  readonly wakeUp: WakeUp
  readonly deliver: (hand: WorkerContext) => Delivering
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly settings: WorkerSettings
}

/** What was claimed of a project's queue, and the leave that it was claimed by. */
type Claimed = { readonly projectId: string; readonly claimed: readonly Delivery[]; readonly leave: Leave }

/** How many deliveries one round claims. */
const roundSize = 200
/** The most that this worker has claimed at once, whatever the number of projects. */
const mostClaimed = 5 * roundSize
/** Of pages that were expanded: while one is sent, the next is made. Further ones wait, or are queued where it takes long. */
const mostBorn = 2_000
const pageTime = 2_000
const lanes: readonly Lane[] = ['transactional', 'bulk', 'bulk']

/** Leases are renewed every few seconds; what a dead worker had is taken over when they have run out. */
const leaseTime = 20_000
const idleTime = 200
/** How old the store's last answer to what there is to do may be, and where there was nothing for long. A wake-up asks at once. */
const lookTimes = { first: 3_000, longest: 5_000 }
/** The same of dispatches that are to be expanded, which nobody waits for as for a single mail. */
const expandTimes = { first: 5_000, longest: 10_000 }
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
  const { repositories, deliveries, states, expander, ends, leaves, publish, wakeUp, clock, sleep, log, settings } =
    deps
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
  /** Dispatches that had stood still for too long when they were last looked at, and since when. */
  let standing = new Map<string, string>()

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  const recorded = async (settlements: readonly Settlement[]) => {
    for (const { _id } of settlements) {
      unrecorded.delete(_id)
      held.delete(_id)
    }
    delivering.recorded(settlements)
    for (const { to, notBefore } of settlements)
      if (to === 'queued' && notBefore) dueAgain = Math.min(dueAgain, Date.parse(notBefore))
    const open = new Set([...[...held.keys()].map(dispatchOf), ...expandedHere])
    for (const dispatchId of new Set(settlements.map(({ _id }) => dispatchOf(_id)))) {
      const now = clock().getTime()
      if (open.has(dispatchId) && now - (movedAt.get(dispatchId) ?? 0) < progressTime) continue
      if (open.has(dispatchId)) movedAt.set(dispatchId, now)
      else movedAt.delete(dispatchId)
      await ends.moved(dispatchId)
    }
  }

  const { settle, flush } = settling({ deliveries, publish, recorded })
  const delivering = deps.deliver({
    settle: (settled) => {
      for (const { settlement } of settled) unrecorded.add(settlement._id)
      settle(settled)
    },
    heldUntil: (id) => held.get(id) ?? 0,
    stopping: () => stopping?.signal,
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
  /** When the first is due, in epoch milliseconds, of what this worker has put off since it asked. */
  let dueAgain = Number.POSITIVE_INFINITY
  const expanding = lookout({
    ask: () => collected(repositories.dispatches.each({ stage: 'expanding' })),
    isNothing: (dispatches) => dispatches.length === 0,
    clock,
    wakeUp,
    times: expandTimes,
  })

  const finishExpanded = async (left: readonly Dispatch[]): Promise<void> => {
    if (expandedHere.size === 0) return
    const ids = new Set(left.map(({ _id }) => _id))
    for (const _id of [...expandedHere].filter((one) => !ids.has(one))) {
      await ends.finishIfDone(_id)
      expandedHere.delete(_id)
    }
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

  /** Runs the work of deliveries that are this worker's until their outcome is durable, or left to their lease. */
  const work = async (deliver: Promise<void>, ids: readonly string[]): Promise<void> => {
    try {
      await deliver
    } finally {
      await flush().finally(() => {
        // What never came to an outcome is left to its lease; what has one is held until it is recorded.
        for (const id of ids) if (!unrecorded.has(id)) held.delete(id)
      })
    }
  }

  const underWay = (working: Promise<void>): Promise<void> => {
    atWork.add(working)
    return working.finally(() => atWork.delete(working))
  }

  /** Rows of pages that were expanded and are not over. */
  let born = 0
  const roomMade = makeWakeUp()
  /** Whether there was no room for so long that mails are slow: then pages are queued until there is room again. */
  let isSlow = false

  const room = (): number => Math.max(0, mostBorn - born)

  /** Waits for the page before the last to be over, unless mails are slow. */
  const roomSoon = async (): Promise<void> => {
    if (room() >= mostBorn / 2) {
      isSlow = false
      return
    }
    if (isSlow || !stopping || stopping.signal.aborted) return
    const until = clock().getTime() + pageTime
    while (room() < mostBorn / 2 && !stopping.signal.aborted) {
      const left = until - clock().getTime()
      if (left <= 0) {
        isSlow = true
        return
      }
      await sleep(left, roomMade.signal())
    }
  }

  /** Sends what was born leased, without waiting for it. */
  const sendPage = (dispatchId: string, leased: readonly Leased[]): void => {
    for (const { delivery } of leased) held.set(delivery._id, Date.parse(delivery.leaseUntil ?? ''))
    born += leased.length
    const ids = leased.map(({ delivery }) => delivery._id)
    const working = work(delivering.leased(leased), ids)
      .catch((error: unknown) =>
        log('error', 'A page of a dispatch failed; its leases will run out', { dispatchId, error }),
      )
      .finally(() => {
        born -= leased.length
        roomMade.wake()
      })
    void underWay(working)
  }

  /** The pipeline: a page of the audience becomes rows of the ledger that are this worker's, and is on its way at once. */
  const expandPage = async (dispatch: Dispatch): Promise<boolean> => {
    await roomSoon()
    const project = await paced(dispatch.projectId)
    const page = await expander.expandPage(dispatch, {
      worker,
      leaseUntil: iso(leaseTime),
      take: async (wanted) => {
        const n = stopping?.signal.aborted ? 0 : Math.min(wanted, room())
        return project && n > 0 ? leaves.page(project, dispatch.channel ?? serverChannel, n) : 0
      },
    })
    expandedHere.add(dispatch._id)
    if (page && page.queued > 0) made.set(dispatch.projectId, { lane: 'bulk', projectId: dispatch.projectId })
    if (page && page.leased.length > 0) sendPage(dispatch._id, page.leased)
    return page !== undefined
  }

  const isYielded = (dispatchId: string): boolean => {
    const until = yielded.get(dispatchId)
    if (until === undefined) return false
    // What was answered is older than what the other has done since.
    if (until <= clock().getTime() && yielded.delete(dispatchId)) expanding.forget()
    return true
  }

  const expandSome = async (): Promise<boolean> => {
    let moved = false
    const dispatches = await expanding.answer()
    await finishExpanded(dispatches)
    for (const dispatch of dispatches) {
      if (isYielded(dispatch._id)) continue
      try {
        const isMine = await expandPage(dispatch)
        if (!isMine) yielded.set(dispatch._id, clock().getTime() + yieldTime)
        moved = isMine || moved
        expanding.forget()
      } catch (error) {
        expanding.forget()
        log('error', 'A dispatch could not be expanded', { dispatchId: dispatch._id, error })
      }
    }
    return moved
  }

  /** Of a project that is gone: whoever prepares its mails will say so. */
  const freely = (n: number): Leave => ({ n, use: async (_channel, asked) => asked })

  /** What is due as far as is known: what was answered, and what this worker has made or put off since. */
  const queuesOf = async (lane: Lane): Promise<readonly Queue[]> => {
    if (dueAgain <= clock().getTime()) {
      dueAgain = Number.POSITIVE_INFINITY
      dueQueues.forget()
    }
    const due = (await dueQueues.answer()).filter((one) => one.lane === lane && !drained.has(one))
    const known = new Map(due.map((one) => [one.projectId, one]))
    if (lane === 'bulk') for (const [projectId, queue] of made) known.set(projectId, queue)
    return [...known.values()]
  }

  const claim = async (lane: Lane, busy: ReadonlySet<string>): Promise<readonly Claimed[]> => {
    if (held.size - born >= mostClaimed) return []
    const queues = (await queuesOf(lane)).filter(({ projectId }) => !busy.has(projectId))
    const share = Math.ceil(roundSize / Math.max(1, queues.length))
    const all: Claimed[] = []
    let n = 0
    for (const queue of queues) {
      const project = await paced(queue.projectId)
      const leave = project ? await leaves.take(project, lane, share) : freely(share)
      if (leave.n === 0) continue
      const claimed = await deliveries.claim({ queue, worker, now: iso(), leaseUntil: iso(leaseTime), limit: leave.n })
      for (const { _id, leaseUntil } of claimed) held.set(_id, Date.parse(leaseUntil ?? ''))
      if (claimed.length < leave.n) {
        drained.add(queue)
        if (made.get(queue.projectId) === queue) made.delete(queue.projectId)
      }
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
      return underWay(work(delivering.claimed(claimed, leave), ids).finally(() => busy.delete(projectId)))
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

  /** Whether its channel will not report a send whose outcome is unknown; one that cannot be asked might. */
  const isUnreported = async (dispatchId: string): Promise<boolean> => {
    const dispatch = await repositories.dispatches.get({ _id: dispatchId })
    if (!dispatch) return true
    const state = await states.current(dispatch.channel ?? serverChannel)
    return state?.kind === 'ready' && !state.mailer.reportsSends
  }

  const takeOver = async () => {
    const now = clock().getTime()
    const at = (milliseconds: number) => new Date(now + milliseconds).toISOString()
    const atOnce: string[] = []
    const concerned = await deliveries.lost(at(0))
    for (const dispatchId of concerned) if (await isUnreported(dispatchId)) atOnce.push(dispatchId)
    const lost = await deliveries.reclaim(at(0), at(reportGrace), atOnce)
    if (lost === 0) return
    for (const dispatchId of concerned) await ends.moved(dispatchId)
    dueQueues.forget()
    log('warn', 'Deliveries of a worker that died were taken over', { deliveries: lost })
  }

  /** Runs the step again and again; after an error, which is logged, with a pause, which `early` ends. */
  const loop = async (
    name: string,
    pause: number,
    step: () => Promise<boolean>,
    signal: AbortSignal,
    early: () => AbortSignal = () => signal,
  ) => {
    while (!signal.aborted) {
      const rest = await step().then(
        (busy) => (busy ? 0 : pause),
        (error) => {
          log('error', `Sending: ${name} failed and will be tried again`, { error })
          return retryTime
        },
      )
      if (rest > 0 && !signal.aborted) await sleep(rest, early())
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
        loop('expanding', idleTime, unlessPaused(expandSome), signal, wakeUp.signal),
        ...lanes.map((lane) => loop(`the ${lane} lane`, idleTime, unlessPaused(lookFor(lane)), signal, wakeUp.signal)),
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
      roomMade.wake()
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
        const expanded = await expandSome()
        await Promise.allSettled(atWork)
        const moved = [expanded, await round('transactional'), await round('bulk')]
        if (!moved.includes(true)) return
      }
    },

    /**
     * Now and then: ends what has no open delivery left, and what has stood still for 30 minutes while this worker was at work. A machine
     * that slept meanwhile has its dispatches looked at twice: before the second time they could go on.
     */
    sweep: async (): Promise<void> => {
      if (stopping) await takeOver()
      const before = standing
      standing = new Map()
      for (const dispatch of await collected(
        repositories.dispatches.each({ stage: ['expanding', 'sending', 'finishing'] }),
      )) {
        await ends.finishIfDone(dispatch._id)
        const since = Math.max(Date.parse(dispatch.progressAt), startedAt)
        if (dispatch.stage === 'finishing' || paused || !stopping || clock().getTime() - since <= stallTime) continue
        if (before.get(dispatch._id) === dispatch.progressAt)
          await ends.stop(dispatch._id, 'No progress for 30 minutes.')
        else standing.set(dispatch._id, dispatch.progressAt)
      }
    },
  }
}
export type SendingWorker = ReturnType<typeof sendingWorker>
