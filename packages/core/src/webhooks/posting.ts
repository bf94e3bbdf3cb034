import type { ApiKey } from '../access/api-key.js'
import type { Clock, Log, Secrets, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { WakeUp } from '../kernel/wake-up.js'
import type { AccountOf } from '../projects/account-of.js'
import { keptSince, type Retention } from '../retention/retention.js'
import { endpointTurns } from './endpoint-turns.js'
import { mostInBatch } from './event-batch.js'
import type { WebhookOutbox } from './outbox.js'
import { pagePosting } from './page-posting.js'
import type { EventPoster } from './ports.js'
import { webhookTargets } from './targets.js'
import type { Webhook } from './webhook.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; webhooks: Webhook }>
  readonly webhookOutbox: WebhookOutbox
  readonly eventPoster: EventPoster
  readonly accountOf: AccountOf
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open'>
  /** Woken when this process has put events on their way: after a time without any, the first does not wait. */
  readonly wakeUp: Pick<WakeUp, 'signal'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly settings: { readonly workerName: string; readonly retention: Pick<Retention, 'events'> }
}

/** How often is looked for what is due, and where there was nothing. */
const lookTimes = { busy: 2_000, idle: 10_000 }
/** How long until others are looked for, while some are being posted. */
const lookAgainAfter = 1_000
/** What a process that died had claimed is due again afterwards. */
const leaseTime = 60_000

/** How many events of a project are kept, apart from those that wait. */
export const keptPerProject = 100_000
/** How often all projects' are counted, in milliseconds; those of one are as soon as it has had a tenth of them. */
const trimTime = 60 * 60_000

/**
 * Posts the events that wait, of all projects side by side, in no promised order. Each is claimed before it is posted, so that two
 * processes never post it at once; where one dies in between, the receiver gets it twice, under the same `webhook-id`.
 */
export const webhookPosting = (deps: Deps) => {
  const { webhookOutbox, wakeUp, clock, sleep, log } = deps
  const { webhooks } = deps.repositories
  const { workerName: worker, retention } = deps.settings
  const turns = endpointTurns(deps)
  const targets = webhookTargets(deps)
  const postPage = pagePosting({ ...deps, targets, turns, isStopping: () => stopping })
  /** The projects whose events are being posted. */
  const draining = new Map<string, Promise<void>>()
  /** How many events of a project were posted since its log was cut to its length. */
  const untrimmed = new Map<string, number>()
  let trimmedAt = 0
  let stopping = false
  /** Whether there was anything to post when it was looked last. */
  let hadWork = false
  let looking: AbortController | undefined
  let working: Promise<void> = Promise.resolve()

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  const trim = async (projectId: string): Promise<void> => {
    untrimmed.delete(projectId)
    await webhookOutbox.trim(projectId, keptPerProject)
  }

  /** Posts all that is due of a project. @throws what the store threw, when all posts have ended */
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

  /** Waits until all is done, or it is time to look for others. */
  const someTime = async (): Promise<void> => {
    const over = new AbortController()
    await Promise.race([Promise.all(draining.values()), sleep(lookAgainAfter, over.signal)])
    over.abort()
  }

  /** Posts what is due, of whoever has something by the time that the last is done. @throws what the store threw */
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

  /** After work, what comes meanwhile is gathered; after none, the next that comes ends it. */
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
    /** To be called when the project's webhook was changed by this process: what is posted from then on goes by it. */
    forget: targets.forget,

    /** Posts all that is due, and what becomes due meanwhile; ends when nothing is, or after `stop`. @throws what the store threw */
    run: async (): Promise<void> => {
      do {
        hadWork = false
        await pass()
      } while (hadWork && !stopping)
    },

    /** Posts what is due, and looks for more every two seconds; every ten where there was nothing, or when this process has some. */
    start: (): void => {
      stopping = false
      looking?.abort()
      looking = new AbortController()
      working = again(looking.signal)
    },
    /** Claims nothing more, and ends when what is being posted has been answered. */
    stop: async (): Promise<void> => {
      stopping = true
      looking?.abort()
      await working
    },

    /**
     * Forgets what was delivered or given up: some days after it happened, and where a project has more than 100,000 events, the oldest
     * of them.
     */
    prune: async (): Promise<void> => {
      await webhookOutbox.prune(keptSince(clock(), retention.events))
      const now = clock().getTime()
      if (now - trimmedAt < trimTime) return
      trimmedAt = now
      for await (const { projectId } of webhooks.each({})) await trim(projectId)
    },
  }
}
