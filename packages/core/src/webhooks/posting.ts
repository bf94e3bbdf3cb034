import type { ApiKey } from '../access/api-key.js'
import { fairLimiter } from '../kernel/fair-limiter.js'
import type { Clock, Log, Secrets, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { EventPoster, PostOutcome } from './ports.js'
import { type Signed, signedPost } from './signing.js'
import { type Webhook, wants } from './webhook.js'
import { afterAttempt, isAccepted, moveWebhookDelivery, type WebhookDelivery } from './webhook-delivery.js'
import { type WebhookSecret, webhookSecrets } from './webhook-secret.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ apiKeys: ApiKey; webhooks: Webhook; webhookDeliveries: WebhookDelivery }>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly settings: { readonly workerName: string }
}

/** Nothing was posted, as the webhook may not post any more. */
type SwitchedOff = { readonly kind: 'switched-off'; readonly reason: string }

type Target = { readonly webhook: Webhook; readonly secret: Promise<WebhookSecret> }
type CurrentTarget = () => Promise<Target | undefined>

/** For how long after it was read a webhook is taken to be as it was. */
const targetTime = 5_000

/** How many are posted at once, to one receiver and to all: one that does not answer keeps nobody else waiting. */
const atOncePerProject = 10
const atOnce = 200

/** How many of those that are due longest are looked at to know which projects have something due. */
const headSize = 100
/** How many of a project are read at a time. */
const pageSize = 200
/** How often is looked for what is due, and where there was nothing. */
const lookTimes = { busy: 5_000, idle: 10_000 }
/** How long until others are looked for, while some are being posted. */
const lookAgainAfter = 1_000
/** Longer than a post may take. What a process that died had claimed is due again afterwards. */
const leaseTime = 60_000
const keptFor = 30 * 24 * 60 * 60_000
const pruneSize = 500

/**
 * Posts the events that wait, of all projects side by side, in no promised order. Each is claimed before it is posted, so that two
 * processes never post it at once; where one dies in between, the receiver gets it twice, under the same `webhook-id`.
 */
export const webhookPosting = ({ repositories, eventPoster, secrets, clock, sleep, log, settings }: Deps) => {
  const { webhooks, webhookDeliveries } = repositories
  const webhookSecret = webhookSecrets({ repositories, secrets })
  const { workerName: worker } = settings
  const turn = fairLimiter(atOnce)
  /** The projects whose events are being posted. */
  const draining = new Map<string, Promise<void>>()
  let stopping = false
  /** Whether there was anything to post when it was looked last. */
  let hadWork = false
  let looking: AbortController | undefined
  let working: Promise<void> = Promise.resolve()

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  const due = async (where: { readonly projectId?: string }, limit: number): Promise<readonly WebhookDelivery[]> => {
    const sort = { by: 'nextAt', order: 'asc' } as const
    const { items } = await webhookDeliveries.list({ where: { ...where, state: 'pending' }, sort, skip: 0, limit })
    const now = iso()
    return items.filter(({ nextAt }) => nextAt <= now)
  }

  /** Who has something due. Where the head is full, others may stand behind it, and every project is asked. */
  const projectsDue = async (): Promise<ReadonlySet<string>> => {
    const head = await due({}, headSize)
    const projects = new Set(head.map(({ projectId }) => projectId))
    if (head.length === headSize) for await (const { projectId } of webhooks.each({})) projects.add(projectId)
    return projects
  }

  /** The delivery as claimed by this process; undefined where another was faster. */
  const claimed = async ({ _id, attempts }: WebhookDelivery): Promise<WebhookDelivery | undefined> => {
    const now = iso()
    const delivery = await webhookDeliveries.change({ _id, attempts }, (current) =>
      current.nextAt > now
        ? current
        : moveWebhookDelivery(current, 'claim', now, { attempts: attempts + 1, worker, nextAt: iso(leaseTime) }),
    )
    return delivery?.attempts === attempts + 1 && delivery.worker === worker ? delivery : undefined
  }

  /** Records what became of a claim, unless it has ended and another process has taken over. */
  const settle = ({ _id, attempts }: WebhookDelivery, decide: (current: WebhookDelivery) => WebhookDelivery) =>
    webhookDeliveries.change({ _id, attempts, worker }, decide)

  /** Where events of the project go, and what signs them: read once for those of a page that begin within seconds. */
  const targetOf = (projectId: string) => {
    let read: { readonly target: Promise<Target | undefined>; readonly until: number } | undefined
    const readNow = async (): Promise<Target | undefined> => {
      const webhook = await webhooks.get({ projectId })
      if (!webhook) return undefined
      const secret = webhookSecret.of(webhook)
      // Whoever needs it hears of its failure.
      secret.catch(() => undefined)
      return { webhook, secret }
    }
    return (): Promise<Target | undefined> => {
      const now = clock().getTime()
      if (!read || now >= read.until) read = { target: readNow(), until: now + targetTime }
      return read.target
    }
  }

  /** A fault of this server counts as an attempt too, so that no event is tried for ever. */
  const attempted = async ({ webhook, ...target }: Target, event: Signed): Promise<PostOutcome | SwitchedOff> => {
    try {
      const secret = await target.secret
      if (secret.disabled) return { kind: 'switched-off', reason: secret.disabled.reason }
      return await eventPoster.post(signedPost(webhook.url, event, secret, secrets))
    } catch (error) {
      log('error', 'An event could not be posted', { webhookDeliveryId: event.id, error })
      return { kind: 'unreachable', reason: 'of a fault of this server' }
    }
  }

  const giveUp = (delivery: WebhookDelivery, reason: string) =>
    settle(delivery, (current) => moveWebhookDelivery(current, 'giveUp', iso(), { reason }))

  const deliver = async (delivery: WebhookDelivery, currentTarget: CurrentTarget): Promise<void> => {
    const { _id: id, projectId, attempts: attempt, type, body } = delivery
    const target = await currentTarget()
    if (!target || !wants(target.webhook, type)) {
      await giveUp(delivery, target ? `The webhook no longer asks for ${type}` : 'The webhook was removed')
      return
    }
    const outcome = await attempted(target, { id, at: clock(), body })
    if (outcome.kind === 'switched-off') {
      await giveUp(delivery, outcome.reason)
      return
    }
    const { state } = (await settle(delivery, (current) => afterAttempt(current, outcome, clock()))) ?? {}
    const told = { projectId, webhookDeliveryId: id, attempt, state, ...outcome }
    if (isAccepted(outcome)) log('debug', 'An event was posted', told)
    else log('warn', 'A webhook did not take an event', told)
  }

  const claimAndDeliver = async (delivery: WebhookDelivery, currentTarget: CurrentTarget): Promise<void> => {
    const mine = stopping ? undefined : await claimed(delivery)
    if (mine) await deliver(mine, currentTarget)
  }

  /** Posts all that is due of a project, and what becomes due meanwhile. @throws what the store threw, when all posts have ended */
  const drain = async (projectId: string): Promise<void> => {
    const turnOfProject = fairLimiter(atOncePerProject)
    while (!stopping) {
      const page = await due({ projectId }, pageSize)
      if (page.length === 0) return
      const currentTarget = targetOf(projectId)
      const posts = page.map((delivery) => turnOfProject(() => turn(() => claimAndDeliver(delivery, currentTarget))))
      await Promise.allSettled(posts)
      await Promise.all(posts)
    }
  }

  /** Waits until all is done, or it is time to look for others. */
  const someTime = async (): Promise<void> => {
    const over = new AbortController()
    await Promise.race([Promise.all(draining.values()), sleep(lookAgainAfter, over.signal)])
    over.abort()
  }

  /** Posts all that is due, and what becomes due meanwhile; ends when nothing is, or after `stop`. @throws what the store threw */
  const run = async (): Promise<void> => {
    const failures: unknown[] = []
    const begin = (projectId: string) => {
      hadWork = true
      const drained = drain(projectId)
        .catch((error) => void failures.push(error))
        .finally(() => draining.delete(projectId))
      draining.set(projectId, drained)
    }
    for (;;) {
      if (!stopping && failures.length === 0)
        for (const projectId of await projectsDue()) if (!draining.has(projectId)) begin(projectId)
      if (draining.size === 0) break
      await someTime()
    }
    if (failures.length > 0) throw failures[0]
  }

  const again = async (over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      hadWork = false
      await run().catch((error: unknown) =>
        log('error', 'Events could not be posted and will be tried again', { error }),
      )
      await sleep(hadWork ? lookTimes.busy : lookTimes.idle, over)
    }
  }

  return {
    run,

    /** Posts what is due, and looks for more every five seconds, every ten where there was nothing. */
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

    /** Forgets what was delivered or given up, 30 days after it happened. */
    prune: async (): Promise<void> => {
      const before = iso(-keptFor)
      for (const state of ['delivered', 'given-up'] as const)
        for (let full = true; full; ) {
          const sort = { by: 'createdAt', order: 'asc' } as const
          const { items } = await webhookDeliveries.list({ where: { state }, sort, skip: 0, limit: pruneSize })
          const old = items.filter(({ createdAt }) => createdAt < before)
          if (old.length > 0) await webhookDeliveries.removeAll({ _id: old.map(({ _id }) => _id) })
          full = old.length === pruneSize
        }
    },
  }
}
