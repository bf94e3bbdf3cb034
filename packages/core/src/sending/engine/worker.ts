import type { Publish } from '../../events/event.js'
import type { ClockCheck } from '../../kernel/clock-check.js'
import type { Clock, Log, Sleep } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { WakeUp } from '../../kernel/wake-up.js'
import type { Project } from '../../projects/project.js'
import type { HeadStartDesk } from '../accepting/head-start.js'
import type { SinglesDesk } from '../accepting/singles-desk.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Lane } from '../channels/lane.js'
import type { Leaves } from '../channels/leaves.js'
import type { Deliveries } from '../ledger/deliveries.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { claiming as claimingOf, idleTime } from './claiming.js'
import type { Delivering } from './delivering.js'
import type { DispatchEnds } from './dispatch-ends.js'
import { dueQueues } from './due-queues.js'
import { expanding as expandingOf } from './expanding.js'
import type { Expander } from './expansion.js'
import type { WorkerContext } from './handing-over.js'
import type { HoldingBack } from './holding-back.js'
import { leases as leasesOf, renewTime } from './leases.js'
import { looping } from './loop.js'
import { pacedProjects } from './paced-projects.js'
import { progress } from './progress.js'
import { type Settled, settling } from './settling.js'
import { singlesAtOnce } from './singles-at-once.js'
import { takingOver } from './taking-over.js'
import { watchdog as watchdogOf } from './watchdog.js'

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
  readonly isHeldBack: HoldingBack
  readonly publish: Publish
  /** Where single mails that are accepted in this process find this worker. */
  readonly singlesDesk: Pick<SinglesDesk, 'takenBy'>
  /** Where sendings that are being accepted find it. */
  readonly headStartDesk: Pick<HeadStartDesk, 'takenBy'>
  /** Woken when something was accepted in this process: it looks at once instead of at the next poll. */
  readonly wakeUp: WakeUp
  readonly deliver: (hand: WorkerContext) => Delivering
  readonly clocks: Pick<ClockCheck, 'look' | 'isRight' | 'isBehind'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly settings: WorkerSettings
}

const lanes: readonly Lane[] = ['transactional', 'bulk', 'bulk']

const flushTime = 1_000
/** How often what dead workers had is looked for: less often than leases run out. */
const takeOverTime = 15_000

/**
 * The sending engine of one process. Any number of them may work on one store: every delivery is leased to one at a time, and
 * what a dead worker had is taken over when its lease has passed.
 *
 * A page of an audience becomes rows that are this worker's (`expanding`), and so do single mails that this process accepts (`singles`);
 * what waits in the queue is claimed (`claiming`). All go to `delivering`: made ready, rendered and handed over. Outcomes come back to
 * `settling`, and what is durable to all who wait for it.
 */
export const sendingWorker = (deps: Deps) => {
  const { deliveries, ends, wakeUp, clock, clocks, settings } = deps
  const { workerName: worker } = settings
  const projects = pacedProjects(deps)
  const due = dueQueues(deps)
  const loop = looping(deps)
  let stopper: AbortController | undefined
  let running: Promise<unknown> = Promise.resolve()
  let isPaused = false
  let startedAt = 0
  const stopping = () => stopper?.signal

  const recorded = async (settled: readonly Settled[]): Promise<void> => {
    const settlements = settled.map(({ settlement }) => settlement)
    leases.recorded(settlements)
    delivering.recorded(settled)
    due.recorded(settlements)
    await noteProgress(singles.othersOf(settlements))
  }
  const { settle, flush, flushSoon } = settling({ ...deps, recorded, stopping })
  const leases = leasesOf({ deliveries, worker, clock, flush })
  const delivering = deps.deliver({
    settle: (settled) => {
      leases.decided(settled)
      settle(settled)
    },
    // By a clock that was set back, leases seem to hold that others have already reclaimed.
    heldUntil: (id) => (clocks.isBehind() ? 0 : leases.until(id)),
    stopping,
  })
  const shared = { ...deps, projects, leases, delivering, worker }
  const isTaking = () => !isPaused && clocks.isRight()
  const isOpen = () => stopping()?.aborted === false && isTaking()
  const singles = singlesAtOnce({ ...shared, flushSoon, isOpen })
  deps.singlesDesk.takenBy(singles.lease)
  deps.headStartDesk.takenBy({
    mails: () => isOpen() && delivering.headStart.mails(),
    content: (...given) => isOpen() && delivering.headStart.content(...given),
  })
  const allSingles = {
    isPressed: () => claiming.isPressed(),
    singlesSince: () => claiming.singlesSince() + singles.since(),
  }
  const expanding = expandingOf({ ...shared, queued: due.made, singles: allSingles, stopping })
  const claiming = claimingOf({ ...shared, due })
  const noteProgress = progress({ ends, open: () => [...leases.dispatches(), ...expanding.dispatches()], clock })
  const takeOver = takingOver({ ...deps, tookOver: due.forget })
  const watchdog = watchdogOf({ ...deps, workingSince: () => (stopper && !isPaused ? startedAt : undefined) })

  return {
    /** Begins to expand, claim and send. */
    start: (): void => {
      if (stopper) return
      stopper = new AbortController()
      startedAt = clock().getTime()
      const { signal } = stopper
      const early = wakeUp.signal
      const begins = (name: string, step: () => Promise<boolean>) =>
        loop({ name, pause: idleTime, step: async () => isTaking() && (await step()), signal, early })
      const keeps = (name: string, pause: number, step: () => Promise<void>) =>
        loop({ name, pause, step: () => step().then(() => false), signal })
      running = Promise.all([
        begins('expanding', expanding.expandSome),
        ...lanes.map((lane) => begins(`the ${lane} lane`, claiming.lookFor(lane))),
        keeps('recording outcomes', flushTime, flush),
        keeps('recording bounces', flushTime, () => delivering.recordBounces(false)),
        // Never behind what others have left, which may be much: this worker's own leases would run out meanwhile.
        keeps('renewing leases', renewTime, leases.renew),
        keeps('taking over', takeOverTime, async () => (clocks.isRight() ? takeOver() : undefined)),
      ])
    },

    /** Claims nothing more until `resume`; what is under way is finished. */
    pause: (): void => {
      isPaused = true
    },
    resume: (): void => {
      isPaused = false
      startedAt = clock().getTime()
      wakeUp.wake()
    },
    isPaused: (): boolean => isPaused,

    /** Claims nothing more, finishes and records what is under way. What cannot be finished falls to another worker by its lease. */
    stop: async (): Promise<void> => {
      stopper?.abort()
      expanding.wake()
      wakeUp.wake()
      await running
      await singles.idle()
      await leases.idle()
      await flush()
      await delivering.recordBounces(true)
      stopper = undefined
    },

    /** Does all that is due now, in this call: for tests and for those who run the engine themselves. */
    runUntilIdle: async (): Promise<void> => {
      while (await clocks.look()) {
        due.forget()
        expanding.forget()
        projects.forget()
        await leases.renew()
        await takeOver()
        const expanded = await expanding.expandSome()
        await leases.idle()
        const moved = [expanded, await claiming.round('transactional'), await claiming.round('bulk')]
        if (moved.includes(true)) continue
        await delivering.recordBounces(true)
        return
      }
    },

    /** Now and then: takes over what dead workers had, and ends what is done or has stood still for 30 minutes. */
    sweep: async (): Promise<void> => {
      if (stopper) await takeOver()
      await watchdog()
    },
  }
}
export type SendingWorker = ReturnType<typeof sendingWorker>
