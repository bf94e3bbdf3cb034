import type { Tell } from '../../events/event.js'
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
import { type Delivery, dispatchOf } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import type { Delivering, Hand, Leased } from './delivering.js'
import type { DispatchEnds } from './dispatch-ends.js'
import type { Expander } from './expansion.js'
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
  readonly tell: Tell
  /** Woken when something was accepted in this process: it looks at once instead of at the next poll. */
  readonly wakeUp: WakeUp
  readonly deliver: (hand: Hand) => Delivering
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
const mostBorn = 1_000
const pageTime = 1_000
const lanes: readonly Lane[] = ['transactional', 'bulk', 'bulk']

/** Leases are renewed every few seconds; what a dead worker had is taken over when they have run out. */
const leaseTime = 20_000
const idleTime = 200
const flushTime = 100
const tendTime = 5_000
/** A dispatch on which nothing has moved for so long has an error that nobody saw. */
const stallTime = 30 * 60_000
const retryTime = 1_000

/**
 * The sending engine of one process. Any number of them may work on one store: every delivery is leased to one at a time, and
 * what a dead worker had is taken over when its lease has passed.
 */
export const sendingWorker = (deps: Deps) => {
  const { repositories, deliveries, states, expander, ends, leaves, tell, wakeUp, clock, sleep, log, settings } = deps
  const { workerName: worker } = settings
  /** What this worker has, and until when. */
  const held = new Map<string, number>()
  /** Of these, the outcome is known and not yet durable. */
  const unrecorded = new Set<string>()
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
    delivering.recorded(settlements)
    for (const dispatchId of new Set(settlements.map(({ _id }) => dispatchOf(_id)))) await ends.moved(dispatchId)
  }

  const { settle, flush } = settling({ deliveries, tell, recorded })
  const delivering = deps.deliver({
    settle: (settled) => {
      for (const { settlement } of settled) unrecorded.add(settlement._id)
      settle(settled)
    },
    heldUntil: (id) => held.get(id) ?? 0,
    stopping: () => stopping?.signal,
  })

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
    const working = work(delivering.leased(dispatchId, leased), ids)
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
    const project = await repositories.projects.get({ _id: dispatch.projectId })
    const page = await expander.expandPage(dispatch, {
      worker,
      leaseUntil: iso(leaseTime),
      take: async (wanted) => {
        const n = stopping?.signal.aborted ? 0 : Math.min(wanted, room())
        return project && n > 0 ? leaves.page(project, dispatch.channel ?? serverChannel, n) : 0
      },
    })
    if (page && page.leased.length > 0) sendPage(dispatch._id, page.leased)
    else await ends.finishIfDone(dispatch._id)
    return page !== undefined
  }

  const expandSome = async (): Promise<boolean> => {
    let moved = false
    for await (const dispatch of repositories.dispatches.each({ stage: 'expanding' })) {
      try {
        moved = (await expandPage(dispatch)) || moved
      } catch (error) {
        log('error', 'A dispatch could not be expanded', { dispatchId: dispatch._id, error })
      }
    }
    return moved
  }

  /** Of a project that is gone: whoever prepares its mails will say so. */
  const freely = (n: number): Leave => ({ n, use: async (_channel, asked) => asked })

  const claim = async (lane: Lane, busy: ReadonlySet<string>): Promise<readonly Claimed[]> => {
    if (held.size - born >= mostClaimed) return []
    const queues = (await deliveries.due(iso())).filter((one) => one.lane === lane && !busy.has(one.projectId))
    const share = Math.ceil(roundSize / Math.max(1, queues.length))
    const all: Claimed[] = []
    let n = 0
    for (const queue of queues) {
      const project = await repositories.projects.get({ _id: queue.projectId })
      const leave = project ? await leaves.take(project, lane, share) : freely(share)
      if (leave.n === 0) continue
      const claimed = await deliveries.claim({ queue, worker, now: iso(), leaseUntil: iso(leaseTime), limit: leave.n })
      for (const { _id, leaseUntil } of claimed) held.set(_id, Date.parse(leaseUntil ?? ''))
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
    if (held.size === 0) return
    const until = clock().getTime() + leaseTime
    const still = await deliveries.renew([...held.keys()], worker, new Date(until).toISOString())
    for (const id of still) if (held.has(id)) held.set(id, until)
  }

  /** Whether its channel will not report a send whose outcome is unknown; one that cannot be asked might. */
  const isUnreported = async (dispatchId: string): Promise<boolean> => {
    const dispatch = await repositories.dispatches.get({ _id: dispatchId })
    if (!dispatch) return true
    const state = await states.current(dispatch.channel ?? serverChannel)
    return state?.kind === 'ready' && !state.mailer.reportsSends
  }

  const tend = async () => {
    await renew()
    const now = clock().getTime()
    const at = (milliseconds: number) => new Date(now + milliseconds).toISOString()
    const atOnce: string[] = []
    for (const dispatchId of await deliveries.lost(at(0))) if (await isUnreported(dispatchId)) atOnce.push(dispatchId)
    const lost = await deliveries.reclaim(at(0), at(reportGrace), atOnce)
    if (lost > 0) log('warn', 'Deliveries of a worker that died were taken over', { deliveries: lost })
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
        loop('tending leases', tendTime, () => tend().then(() => false), signal),
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
        await tend()
        const expanded = await expandSome()
        await Promise.allSettled(atWork)
        const moved = [expanded, await round('transactional'), await round('bulk')]
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
