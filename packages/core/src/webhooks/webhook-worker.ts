import type { WakeUpSignal } from '../kernel/wake-up.js'
import { instantDaysBefore } from '../kernel/zoned-time.js'
import type { AccountOf } from '../projects/project.js'
import type { Retention } from '../retention/retention.js'
import { endpointLimiter } from './endpoint-limiter.js'
import { type EventPostsDeps, eventPosts, mostBatchEvents } from './event-posts.js'
import type { WebhookOutbox, WebhookRef } from './ports.js'

type Deps = Omit<EventPostsDeps, 'turns' | 'isStopping'> & {
  readonly webhookOutbox: WebhookOutbox
  readonly accountOf: AccountOf
  /** Woken when this process adds events: the first after idle time is posted at once. */
  readonly wakeUp: WakeUpSignal
  readonly settings: { readonly workerName: string; readonly retention: Pick<Retention, 'events'> }
}

/** Polling intervals, in ms. */
const lookTimes = { busy: 2_000, idle: 10_000 }
/** Interval of queries for due webhooks while posting, in ms. */
const lookAgainAfter = 1_000
/** In ms. After this, deliveries of a dead process are due again. */
const leaseTime = 60_000

/** Settled events; pending ones do not count. */
export const keptPerWebhook = 100_000
/** In ms. A log is also trimmed after a tenth of its limit was posted. */
const trimTime = 60 * 60_000

/**
 * Concurrently to all webhooks, in no guaranteed order. Claims prevent two posts at once. After a crash, the receiver
 * may get an event twice, with the same `webhook-id`.
 */
export const webhookPosting = (deps: Deps) => {
  const { webhookOutbox, targets, wakeUp, clock, sleep, log } = deps
  const { webhooks } = deps.repositories
  const { workerName: worker, retention } = deps.settings
  const turns = endpointLimiter(deps)
  const postPage = eventPosts({ ...deps, turns, isStopping: () => stopping })
  const draining = new Map<string, Promise<void>>()
  /** Events posted since the log was trimmed, by webhook. */
  const untrimmed = new Map<string, number>()
  let trimmedAt = 0
  let stopping = false
  let hadWork = false
  let looking: AbortController | undefined
  let working: Promise<void> = Promise.resolve()

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  const trim = async (ref: WebhookRef): Promise<void> => {
    untrimmed.delete(ref.webhookId)
    await webhookOutbox.trim(ref, keptPerWebhook)
  }

  /** @throws the store's error, after all posts have ended */
  const drain = async (ref: WebhookRef): Promise<void> => {
    const { projectId, webhookId } = ref
    while (!stopping) {
      const webhook = (await targets.one(ref))?.webhook
      const limit = turns.pageSize(webhookId, webhook?.batches ? mostBatchEvents : 1)
      const until = iso(leaseTime)
      const page = await webhookOutbox.claim({ projectId, webhookId, worker, now: iso(), leaseUntil: until, limit })
      if (page.length > 0) {
        hadWork = true
        await postPage(ref, page)
      }
      if (page.length < limit) break
      if (iso(leaseTime / 2) < until) turns.grow(webhookId)
      untrimmed.set(webhookId, (untrimmed.get(webhookId) ?? 0) + page.length)
    }
    if ((untrimmed.get(webhookId) ?? 0) >= keptPerWebhook / 10) await trim(ref)
  }

  /** Until all posts have ended, or other webhooks must be queried. */
  const someTime = async (): Promise<void> => {
    const over = new AbortController()
    await Promise.race([Promise.all(draining.values()), sleep(lookAgainAfter, over.signal)])
    over.abort()
  }

  /** Includes webhooks that become due during the pass. @throws the store's error */
  const pass = async (): Promise<void> => {
    const failures: unknown[] = []
    const begin = (ref: WebhookRef) => {
      const drained = drain(ref)
        .catch((error) => void failures.push(error))
        .finally(() => draining.delete(ref.webhookId))
      draining.set(ref.webhookId, drained)
    }
    do {
      if (!stopping && failures.length === 0)
        for (const ref of await webhookOutbox.due(iso())) if (!draining.has(ref.webhookId)) begin(ref)
      if (draining.size > 0) await someTime()
    } while (draining.size > 0)
    if (failures.length > 0) throw failures[0]
  }

  const again = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      hadWork = false
      const woken = wakeUp.signal()
      await pass().catch((error: unknown) =>
        log('error', 'Events could not be posted and will be tried again', { error }),
      )
      // After work, waits a fixed time to gather events; else until an event is added, or the end.
      await (hadWork ? sleep(lookTimes.busy, over) : sleep(lookTimes.idle, woken))
    }
  }

  const end = (): void => {
    looking?.abort()
    wakeUp.wake()
  }

  return {
    /** Ends when no event is due, or after `stop`. @throws the store's error */
    run: async (): Promise<void> => {
      do {
        hadWork = false
        await pass()
      } while (hadWork && !stopping)
    },

    start: (): void => {
      stopping = false
      end()
      looking = new AbortController()
      working = again(looking.signal)
    },
    /** Resolves when the current posts have ended. */
    stop: async (): Promise<void> => {
      stopping = true
      end()
      await working
    },

    /** Removes settled events past their retention, and the oldest above 100,000 per webhook. */
    prune: async (): Promise<void> => {
      await webhookOutbox.prune(instantDaysBefore(clock(), retention.events))
      const now = clock().getTime()
      if (now - trimmedAt < trimTime) return
      trimmedAt = now
      for await (const { _id: webhookId, projectId } of webhooks.each({})) await trim({ projectId, webhookId })
    },
  }
}
