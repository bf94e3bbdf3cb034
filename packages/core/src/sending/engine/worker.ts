import type { Account } from '../../accounts/account.js'
import type { ClockChecker } from '../../kernel/clock-check.js'
import type { Counters, Runtime } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { WakeUpSignal } from '../../kernel/wake-up.js'
import type { PublishEvents } from '../../tracking/events.js'
import type { LocalWorkerRegistration } from '../acceptance/acceptance.js'
import type { AudienceRecipients } from '../audience/recipients.js'
import type { Lane } from '../channels/channel.js'
import type { SendingChannelStates } from '../channels/channel-states.js'
import type { ChannelRateLimiter } from '../channels/rate-limiter.js'
import type { SendPermits } from '../channels/send-permits.js'
import type { StatisticsAttribution } from '../ledger/attribution.js'
import type { Deliveries } from '../ledger/deliveries.js'
import { type Delivery, dispatchIdOf } from '../ledger/delivery.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { claimLoopPause, deliveryClaimer as claimsOf } from './claim.js'
import type { DispatchCompiler } from './compile.js'
import type { DispatchCompleter } from './complete.js'
import { fanOut as fanOutOf } from './fan-out.js'
import { inFlightDeliveries, leaseRenewTime } from './in-flight.js'
import { sendingPipeline as pipelineOf } from './pipeline.js'
import { type DispatchChannelWaitCheck, dispatchProgressRecorder, dispatchWatchdog as watchdogOf } from './progress.js'
import { reclaimExpired } from './reclaim.js'
import { type MailMetrics, outcomeWriter, type SettledDelivery } from './record.js'
import type { RefusedMail } from './refusal-wave.js'
import type { RenderAndSend } from './render-and-send.js'
import { sendGate } from './send-gate.js'
import { transmitter as transmitterOf } from './transmit.js'
import { unqueuedMailSender, yieldToTransactional } from './unqueued-sends.js'

type WorkerSettings = {
  /** Unique among living processes. */
  readonly workerName: string
}

type Deps = Pick<Runtime, 'clock' | 'sleep' | 'log'> & {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; accounts: Account }>
  readonly deliveries: Deliveries
  readonly counters: Counters
  readonly recipients: AudienceRecipients
  readonly states: SendingChannelStates
  readonly rateLimiter: ChannelRateLimiter
  readonly permits: SendPermits
  readonly compiler: DispatchCompiler
  readonly completion: DispatchCompleter
  readonly waitsForChannel: DispatchChannelWaitCheck
  readonly renderAndSend: RenderAndSend
  readonly publish: PublishEvents
  readonly attributionOfDelivery: (delivery: Delivery) => Promise<StatisticsAttribution | undefined>
  readonly bounced: (refused: RefusedMail) => Promise<void>
  readonly meter?: MailMetrics | undefined
  readonly localWorker: Pick<LocalWorkerRegistration, 'set'>
  /** Woken when this process accepts mail. */
  readonly wakeUp: WakeUpSignal
  readonly clocks: Pick<ClockChecker, 'look' | 'isRight' | 'isBehind'>
  readonly settings: WorkerSettings
}

/** Of the claims that run at the same time: two, so that bulk mail does not wait for a slow project. */
const lanes: readonly Lane[] = ['transactional', 'bulk', 'bulk']

/** In ms, of an outcome. */
const flushInterval = 1_000
const reclaimInterval = 15_000
const retryTime = 1_000

/** The sending engine of one process: see README.md. */
export const sendingWorker = (deps: Deps) => {
  const { deliveries, completion, wakeUp, clocks, clock, sleep, log } = deps
  const worker = deps.settings.workerName
  let stopper: AbortController | undefined
  let running: Promise<unknown> = Promise.resolve()
  let isPaused = false
  let startedAt = 0
  const stopping = () => stopper?.signal
  /** With a wrong clock, leases would expire at the wrong time. */
  const isTaking = () => !isPaused && clocks.isRight()
  const isOpen = () => stopper?.signal.aborted === false && isTaking()

  const inFlight = inFlightDeliveries({ deliveries, worker, clocks, clock })

  const onStored = async (stored: readonly SettledDelivery[]): Promise<void> => {
    const entries = stored.map(({ entry }) => entry)
    inFlight.stored(entries)
    transmitter.stored(entries)
    claims.notePutOff(stored.map(({ settlement }) => settlement))
    const ofMany = stored.filter(({ entry, isLast }) => entry.origin !== 'unqueued' && !isLast)
    await noteProgress(new Set(ofMany.map(({ entry }) => dispatchIdOf(entry.delivery._id))))
  }

  const { settle, flush, flushSoon } = outcomeWriter({ ...deps, inFlight, worker, stopping, onStored })
  const gate = sendGate({ ...deps, stop: completion.stop })
  const transmitter = transmitterOf({ ...deps, inFlight, gate, settle, stopping })
  const pipeline = pipelineOf({ ...deps, inFlight, gate, settle, transmitter })
  const shared = { ...deps, inFlight, pipeline, flush, flushSoon, worker }
  const unqueued = unqueuedMailSender({ ...shared, isOpen })
  const claims = claimsOf(shared)
  const load = {
    isBehind: claims.isBehind,
    takeSentCount: () => claims.takeTransactionalCount() + unqueued.takeSentCount(),
  }
  const fanOut = fanOutOf({
    ...shared,
    filled: claims.noteQueued,
    yieldToTransactional: yieldToTransactional({ ...deps, load, stopping }),
    stopping,
  })
  const noteProgress = dispatchProgressRecorder({
    completion,
    openDispatches: () => [...inFlight.dispatches(), ...fanOut.dispatches()],
    clock,
  })
  const reclaim = reclaimExpired({ ...deps, onQueued: claims.invalidate })
  const watchdog = watchdogOf({ ...deps, runningSince: () => (stopper && !isPaused ? startedAt : undefined) })

  deps.localWorker.set({
    reserve: unqueued.reserve,
    warmUp: (content, projectId) => {
      if (!isOpen()) return
      deps.renderAndSend.expectMails?.()
      deps.compiler.warmUp(content, projectId)
    },
  })

  /** Repeats a step; pauses if there was nothing to do, and after an error. */
  const loop = async (
    name: string,
    step: () => Promise<boolean>,
    pause: number,
    waitFor: (milliseconds: number) => Promise<void>,
  ): Promise<void> => {
    while (stopping()?.aborted === false) {
      const rest = await step().then(
        (hasMore) => (hasMore ? 0 : pause),
        (error) => {
          log('error', `Sending: ${name} failed and will be tried again`, { error })
          return retryTime
        },
      )
      if (rest > 0 && stopping()?.aborted === false) await waitFor(rest)
    }
  }

  /** Accepted mails end the pause. */
  const look = (name: string, step: () => Promise<boolean>) =>
    loop(
      name,
      async () => isTaking() && (await step()),
      claimLoopPause,
      (rest) => sleep(rest, wakeUp.signal()),
    )

  const repeat = (name: string, interval: number, step: () => Promise<void>) =>
    loop(
      name,
      () => step().then(() => false),
      interval,
      (rest) => sleep(rest, stopping()),
    )

  return {
    start: (): void => {
      if (stopper) return
      stopper = new AbortController()
      startedAt = clock().getTime()
      running = Promise.all([
        look('fan-out', fanOut.addPages),
        ...lanes.map((lane) => look(`the ${lane} lane`, claims.roundsOf(lane))),
        repeat('recording outcomes', flushInterval, () => transmitter.recordBounces(false, flush)),
        // Apart from reclaiming, which may outlast a lease.
        repeat('renewing leases', leaseRenewTime, inFlight.renew),
        repeat('reclaiming expired leases', reclaimInterval, async () => (clocks.isRight() ? reclaim() : undefined)),
      ])
    },

    /** Finishes what is in flight. */
    pause: (): void => {
      isPaused = true
    },
    resume: (): void => {
      isPaused = false
      startedAt = clock().getTime()
      wakeUp.wake()
    },
    isPaused: (): boolean => isPaused,

    /** Stores what is in flight. Other workers reclaim the rest. */
    stop: async (): Promise<void> => {
      stopper?.abort()
      inFlight.wake()
      wakeUp.wake()
      await running
      unqueued.sendAccepted()
      await inFlight.idle()
      await transmitter.recordBounces(true, flush)
      stopper = undefined
    },

    /** Does all that is due now, for tests and embedders. */
    runUntilIdle: async (): Promise<void> => {
      while (await clocks.look()) {
        claims.invalidate()
        fanOut.invalidate()
        deps.permits.invalidate()
        await inFlight.renew()
        await reclaim()
        const moved = [await fanOut.addPages()]
        await inFlight.idle()
        await flush()
        for (const lane of ['transactional', 'bulk'] as const) moved.push(await claims.roundUntilStored(lane))
        if (moved.includes(true)) continue
        await transmitter.recordBounces(true, flush)
        return
      }
    },

    /** Called every minute. */
    sweep: async (): Promise<void> => {
      if (stopper) await reclaim()
      await watchdog()
    },
  }
}
