import type { ApiKey } from '../access/access.js'
import type { Clock, Log, Secrets, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { WakeUp } from '../kernel/wake-up.js'
import type { AccountOf } from '../projects/project.js'
import { keptSince, type Retention } from '../retention/retention.js'
import { endpointLimiter } from './endpoint-limiter.js'
import { eventPosts, mostInBatch } from './event-posts.js'
import type { EventPoster, WebhookOutbox } from './ports.js'
import { webhookTargets } from './targets.js'
import type { Webhook } from './webhook.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; webhooks: Webhook }>
  readonly webhookOutbox: WebhookOutbox
  readonly eventPoster: EventPoster
  readonly accountOf: AccountOf
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open'>
  /** Wakes the poster when this process adds events, so that the first event after an idle time is posted at once. */
  readonly wakeUp: Pick<WakeUp, 'signal'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly settings: { readonly workerName: string; readonly retention: Pick<Retention, 'events'> }
}

/** The polling interval after work, and after finding none, in ms. */
const lookTimes = { busy: 2_000, idle: 10_000 }
/** How often other projects are looked for while some are being posted, in ms. */
const lookAgainAfter = 1_000
/** Claims expire after 60 s (in ms); the deliveries of a dead process are then due again. */
const leaseTime = 60_000

/** How many settled events are kept for each project; pending ones do not count. */
export const keptPerProject = 100_000
/** How often the logs of all projects are trimmed, in ms. A project's log is also trimmed after a tenth of its limit was posted. */
const trimTime = 60 * 60_000

/**
 * Posts the due events of all projects concurrently, in no guaranteed order. Each event is claimed before it is posted, so that two
 * processes never post it at once. If a process dies in between, the receiver gets the event twice, with the same `webhook-id`.
 */
export const webhookPosting = (deps: Deps) => {
  const { webhookOutbox, wakeUp, clock, sleep, log } = deps
  const { webhooks } = deps.repositories
  const { workerName: worker, retention } = deps.settings
  const turns = endpointLimiter(deps)
  const targets = webhookTargets(deps)
  const postPage = eventPosts({ ...deps, targets, turns, isStopping: () => stopping })
  /** The projects whose events are being posted. */
  const draining = new Map<string, Promise<void>>()
  /** How many events of each project were posted since its log was trimmed. */
  const untrimmed = new Map<string, number>()
  let trimmedAt = 0
  let stopping = false
  /** Whether the last pass found work. */
  let hadWork = false
  let looking: AbortController | undefined
  let working: Promise<void> = Promise.resolve()

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  const trim = async (projectId: string): Promise<void> => {
    untrimmed.delete(projectId)
    await webhookOutbox.trim(projectId, keptPerProject)
  }

  /** Posts all due events of a project. @throws the store's error, after all posts have ended */
  const drain = async (projectId: string): Promise<void> => {
    while (!stopping) {
      const webhook = (await targets.of(projectId))?.webhook
      const limit = turns.pageSize(projectId, webhook?.batches ? mostInBatch : 1)
      const until = iso(leaseTime)
      const page = await webhookOutbox.claim({ projectId, worker, now: iso(), leaseUntil: until, limit })
      if (page.length > 0) {
        hadWork = true
        await postPage(projectId, page)
      }
      if (page.length < limit) break
      if (iso(leaseTime / 2) < until) turns.grow(projectId)
      untrimmed.set(projectId, (untrimmed.get(projectId) ?? 0) + page.length)
    }
    if ((untrimmed.get(projectId) ?? 0) >= keptPerProject / 10) await trim(projectId)
  }

  /** Waits until all posts have ended, or until it is time to look for other projects. */
  const someTime = async (): Promise<void> => {
    const over = new AbortController()
    await Promise.race([Promise.all(draining.values()), sleep(lookAgainAfter, over.signal)])
    over.abort()
  }

  /** Posts all due events, including those of projects that become due during the pass. @throws the store's error */
  const pass = async (): Promise<void> => {
    const failures: unknown[] = []
    const begin = (projectId: string) => {
      const drained = drain(projectId)
        .catch((error) => void failures.push(error))
        .finally(() => draining.delete(projectId))
      draining.set(projectId, drained)
    }
    do {
      if (!stopping && failures.length === 0)
        for (const projectId of await webhookOutbox.due(iso())) if (!draining.has(projectId)) begin(projectId)
      if (draining.size > 0) await someTime()
    } while (draining.size > 0)
    if (failures.length > 0) throw failures[0]
  }

  /** After a pass with work, waits a fixed time, so that new events are gathered; after one without, until the next event is added. */
  const rest = async (over: AbortSignal, woken: AbortSignal): Promise<void> => {
    if (hadWork) return sleep(lookTimes.busy, over)
    const either = new AbortController()
    const end = () => either.abort()
    for (const signal of [over, woken]) {
      if (signal.aborted) return
      signal.addEventListener('abort', end, { once: true, signal: either.signal })
    }
    await sleep(lookTimes.idle, either.signal)
    either.abort()
  }

  const again = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      hadWork = false
      const woken = wakeUp.signal()
      await pass().catch((error: unknown) =>
        log('error', 'Events could not be posted and will be tried again', { error }),
      )
      await rest(over, woken)
    }
  }

  return {
    /** Call after this process changed the project's webhook: the next posts use the change. */
    forget: targets.forget,

    /**
     * Posts all due events, including those that become due during the run; ends when none is left, or after `stop`. @throws the store's
     * error
     */
    run: async (): Promise<void> => {
      do {
        hadWork = false
        await pass()
      } while (hadWork && !stopping)
    },

    /** Posts due events and polls for more: every 2 s after work, else every 10 s or when this process adds events. */
    start: (): void => {
      stopping = false
      looking?.abort()
      looking = new AbortController()
      working = again(looking.signal)
    },
    /** Claims nothing more, and resolves when the current posts have ended. */
    stop: async (): Promise<void> => {
      stopping = true
      looking?.abort()
      await working
    },

    /** Removes settled events past their retention, and the oldest of a project with more than 100,000. */
    prune: async (): Promise<void> => {
      await webhookOutbox.prune(keptSince(clock(), retention.events))
      const now = clock().getTime()
      if (now - trimmedAt < trimTime) return
      trimmedAt = now
      for await (const { projectId } of webhooks.each({})) await trim(projectId)
    },
  }
}
