import type { ApiKey } from '../access/api-key.js'
import type { Clock, Log, Secrets, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { WakeUp } from '../kernel/wake-up.js'
import { keptSince, type Retention } from '../retention/retention.js'
import { endpointHealth } from './endpoint-health.js'
import { endpointTurns } from './endpoint-turns.js'
import { batchOf, inBatches, mostInBatch } from './event-batch.js'
import type { WebhookOutbox } from './outbox.js'
import type { EventPoster, PostOutcome } from './ports.js'
import { settledPosts } from './settled-posts.js'
import { signedPost } from './signing.js'
import { type Webhook, wants } from './webhook.js'
import {
  afterAttempt,
  isAccepted,
  moveWebhookDelivery,
  released,
  toldOutcome,
  type WebhookDelivery,
} from './webhook-delivery.js'
import { disabledBy, type WebhookSecret, webhookSecrets } from './webhook-secret.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; webhooks: Webhook }>
  readonly webhookOutbox: WebhookOutbox
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open'>
  /** Woken when this process has put events on their way: after a time without any, the first does not wait. */
  readonly wakeUp: Pick<WakeUp, 'signal'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly settings: { readonly workerName: string; readonly retention: Pick<Retention, 'events'> }
}

/** Nothing was posted, as the webhook may not post any more. */
type SwitchedOff = { readonly kind: 'switched-off'; readonly reason: string }
/** Nothing came of it, by no fault of the receiver. */
type Fault = PostOutcome & { readonly isOurs?: true }

type Target = { readonly webhook: Webhook; readonly secret: Promise<WebhookSecret> }

/** For how long after it was read a webhook is taken to be as it was, and of how many projects. */
const targetTime = 5_000
const mostTargets = 1_000
/** How often is looked for what is due, and where there was nothing. */
const lookTimes = { busy: 2_000, idle: 10_000 }
/** How long until others are looked for, while some are being posted. */
const lookAgainAfter = 1_000
/** What a process that died had claimed is due again afterwards. */
const leaseTime = 60_000
/** Longer than a post may take: what has no more of its claim left is not begun. */
const postTime = 15_000

/** How many events of a project are kept, apart from those that wait. */
export const keptPerProject = 100_000
/** How often all projects' are counted, in milliseconds; those of one are as soon as it has had a tenth of them. */
const trimTime = 60 * 60_000

/**
 * Posts the events that wait, of all projects side by side, in no promised order. Each is claimed before it is posted, so that two
 * processes never post it at once; where one dies in between, the receiver gets it twice, under the same `webhook-id`.
 */
export const webhookPosting = (deps: Deps) => {
  const { repositories, webhookOutbox, eventPoster, secrets, wakeUp, clock, sleep, log, settings } = deps
  const { webhooks } = repositories
  const webhookSecret = webhookSecrets({ repositories, secrets })
  const { workerName: worker } = settings
  const turns = endpointTurns(sleep)
  const health = endpointHealth(deps)
  const settled = settledPosts(webhookOutbox, clock)
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

  const targets = new Map<string, { readonly target: Promise<Target | undefined>; readonly until: number }>()

  const readTarget = async (projectId: string): Promise<Target | undefined> => {
    const webhook = await webhooks.get({ projectId })
    if (!webhook) return undefined
    const secret = webhookSecret.of(webhook)
    // Whoever needs it hears of its failure.
    secret.catch(() => undefined)
    return { webhook, secret }
  }

  /** Where events of the project go, and what signs them: read once for what is posted within seconds. */
  const currentTarget = (projectId: string): Promise<Target | undefined> => {
    const now = clock().getTime()
    const known = targets.get(projectId)
    if (known && now < known.until) return known.target
    targets.delete(projectId)
    for (const oldest of targets.keys()) {
      if (targets.size < mostTargets) break
      targets.delete(oldest)
    }
    const target = readTarget(projectId)
    target.catch(() => targets.delete(projectId))
    targets.set(projectId, { target, until: now + targetTime })
    return target
  }

  /** A fault of this server counts as an attempt too, so that no event is tried for ever. */
  const attempted = async (
    { webhook, ...target }: Target,
    events: readonly [WebhookDelivery, ...WebhookDelivery[]],
  ): Promise<Fault | SwitchedOff> => {
    const [first] = events
    try {
      const secret = await target.secret
      const disabled = disabledBy(webhook, secret)
      if (disabled) return { kind: 'switched-off', reason: disabled.reason }
      const { id, body } = webhook.batches ? batchOf(events, secrets) : { id: first._id, body: first.body }
      return await eventPoster.post(signedPost(webhook.url, { id, at: clock(), body }, secret, secrets))
    } catch (error) {
      log('error', 'An event could not be posted', { webhookDeliveryId: first._id, error })
      return { kind: 'unreachable', reason: 'of a fault of this server', isOurs: true }
    }
  }

  type Change = (delivery: WebhookDelivery) => WebhookDelivery
  const record = (events: readonly WebhookDelivery[], change: Change) =>
    settled.add(events.map((claimed) => ({ claimed, became: change(claimed) })))

  const giveUp = (events: readonly WebhookDelivery[], reason: string) => {
    const now = iso()
    return record(events, (delivery) => moveWebhookDelivery(delivery, 'giveUp', now, { reason }))
  }

  /** Posts them in one post, and answers how it went; undefined where nothing was posted. */
  const deliver = async (
    events: readonly [WebhookDelivery, ...WebhookDelivery[]],
  ): Promise<{ readonly webhook: Webhook; readonly outcome: Fault } | undefined> => {
    const [first] = events
    if (stopping || iso(postTime) > first.nextAt) {
      const now = iso()
      await record(events, (delivery) => released(delivery, now))
      return undefined
    }
    const target = await currentTarget(first.projectId)
    if (!target) {
      await giveUp(events, 'The webhook was removed')
      return undefined
    }
    const outcome = await attempted(target, events)
    if (outcome.kind === 'switched-off') {
      await giveUp(events, outcome.reason)
      return undefined
    }
    const now = clock()
    await record(events, (delivery) => afterAttempt(delivery, outcome, now))
    const { projectId, _id: webhookDeliveryId, attempts: attempt } = first
    const { isOurs: _, ...result } = outcome
    const told = { projectId, webhookDeliveryId, events: events.length, attempt, ...result }
    if (isAccepted(outcome)) log('debug', 'An event was posted', told)
    else log('warn', 'A webhook did not take an event', told)
    return { webhook: target.webhook, outcome }
  }

  /** Those that the webhook asks for still; the others are given up. */
  const stillWanted = async (
    page: readonly WebhookDelivery[],
    webhook: Webhook | undefined,
  ): Promise<readonly WebhookDelivery[]> => {
    if (!webhook) return page
    const unwanted = page.filter(({ type }) => !wants(webhook, type))
    for (const delivery of unwanted) await giveUp([delivery], `The webhook no longer asks for ${delivery.type}`)
    return unwanted.length === 0 ? page : page.filter(({ type }) => wants(webhook, type))
  }

  /** Posts a page of claimed events, and notes how it went. @throws what the store threw, when all posts have ended */
  const postPage = async (projectId: string, page: readonly WebhookDelivery[]) => {
    const webhook = (await currentTarget(projectId))?.webhook
    const wanted = await stillWanted(page, webhook)
    const groups = webhook?.batches ? inBatches(wanted) : wanted.map((delivery) => [delivery])
    const toOne = turns.toOne(projectId)
    const posts = groups.map((events) =>
      toOne(() => turns.take(projectId, () => deliver(events as [WebhookDelivery, ...WebhookDelivery[]]))),
    )
    await Promise.allSettled(posts)
    const results = (await Promise.all(posts)).filter((result) => result !== undefined)
    const accepted = results.some(({ outcome }) => isAccepted(outcome))
    const failed = results.findLast(({ outcome }) => !isAccepted(outcome) && !outcome.isOurs)
    const of = results.at(-1)?.webhook
    const noted =
      of && (await health.note(of, { accepted, failure: failed && `the receiver ${toldOutcome(failed.outcome)}` }))
    if (noted) targets.delete(projectId)
  }

  const trim = async (projectId: string): Promise<void> => {
    untrimmed.delete(projectId)
    await webhookOutbox.trim(projectId, keptPerProject)
  }

  /** Posts all that is due of a project. @throws what the store threw, when all posts have ended */
  const drain = async (projectId: string): Promise<void> => {
    while (!stopping) {
      const webhook = (await currentTarget(projectId))?.webhook
      const limit = turns.pageSize(projectId, webhook?.batches ? mostInBatch : 1)
      const until = iso(leaseTime)
      const page = await webhookOutbox.claim({ projectId, worker, now: iso(), leaseUntil: until, limit })
      if (page.length > 0) {
        hadWork = true
        try {
          await postPage(projectId, page)
        } finally {
          await settled.flush()
        }
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
    forget: (projectId: string): void => {
      targets.delete(projectId)
    },

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
      await webhookOutbox.prune(keptSince(clock(), settings.retention.events))
      const now = clock().getTime()
      if (now - trimmedAt < trimTime) return
      trimmedAt = now
      for await (const { projectId } of webhooks.each({})) await trim(projectId)
    },
  }
}
