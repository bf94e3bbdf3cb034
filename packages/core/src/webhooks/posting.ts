import type { Clock, Log, Secrets } from '../kernel/ports.js'
import type { Repositories } from '../records.js'
import type { EventPoster, PostOutcome } from './ports.js'
import { type Signed, signedPost } from './signing.js'
import { type Webhook, wants } from './webhook.js'
import { afterAttempt, isAccepted, moveWebhookDelivery, type WebhookDelivery } from './webhook-delivery.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'webhooks' | 'webhookDeliveries'>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'hmac' | 'open'>
  readonly clock: Clock
  readonly log: Log
  readonly settings: { readonly workerName: string }
}

/** How many are posted at once, to one receiver and to all: one that does not answer keeps nobody else waiting. */
const atOncePerProject = 10
const atOnce = 200

/** How many of those that are due longest are looked at to know which projects have something due. */
const headSize = 100
/** Longer than a post may take. What a process that died had claimed is due again afterwards. */
const leaseTime = 60_000
const keptFor = 30 * 24 * 60 * 60_000
const pruneSize = 500

/**
 * Posts the events that wait, of all projects side by side, in no promised order. Each is claimed before it is posted, so that two
 * processes never post it at once; where one dies in between, the receiver gets it twice, under the same `webhook-id`.
 */
export const webhookPosting = ({ repositories, eventPoster, secrets, clock, log, settings }: Deps) => {
  const { webhooks, webhookDeliveries } = repositories
  const { workerName: worker } = settings
  /** What is being posted, by project. */
  const posting = new Map<string, Set<Promise<void>>>()
  let stopping = false

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()
  const underWay = () => [...posting.values()].flatMap((those) => [...those])

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

  /** A fault of this server counts as an attempt too, so that no event is tried for ever. */
  const attempted = async (webhook: Webhook, event: Signed): Promise<PostOutcome> => {
    try {
      return await eventPoster.post(signedPost(webhook, event, secrets))
    } catch (error) {
      log('error', 'An event could not be posted', { webhookDeliveryId: event.id, error })
      return { kind: 'unreachable', reason: 'of a fault of this server' }
    }
  }

  const deliver = async (delivery: WebhookDelivery): Promise<void> => {
    const { _id: id, projectId, attempts: attempt, type, body } = delivery
    const webhook = await webhooks.get({ projectId })
    if (!webhook || !wants(webhook, type)) {
      const reason = webhook ? `The webhook no longer asks for ${type}` : 'The webhook was removed'
      await settle(delivery, (current) => moveWebhookDelivery(current, 'giveUp', iso(), { reason }))
      return
    }
    const outcome = await attempted(webhook, { id, at: clock(), body })
    const { state } = (await settle(delivery, (current) => afterAttempt(current, outcome, clock()))) ?? {}
    const told = { projectId, webhookDeliveryId: id, attempt, state, ...outcome }
    if (isAccepted(outcome)) log('debug', 'An event was posted', told)
    else log('warn', 'A webhook did not take an event', told)
  }

  const begin = (delivery: WebhookDelivery) => {
    const { _id: webhookDeliveryId, projectId } = delivery
    const those = posting.get(projectId) ?? new Set()
    const one = deliver(delivery)
      .catch((error) => log('error', 'A post could not be recorded', { projectId, webhookDeliveryId, error }))
      .finally(() => {
        those.delete(one)
        if (those.size === 0) posting.delete(projectId)
      })
    posting.set(projectId, those.add(one))
  }

  /** Claims what is due, as far as there is room, and begins to post it. Answers whether there was anything. */
  const round = async (): Promise<boolean> => {
    let begun = false
    for (const projectId of await projectsDue()) {
      const room = Math.min(atOncePerProject - (posting.get(projectId)?.size ?? 0), atOnce - underWay().length)
      for (const delivery of room > 0 ? await due({ projectId }, room) : []) {
        const mine = stopping ? undefined : await claimed(delivery)
        if (mine) begin(mine)
        begun ||= mine !== undefined
      }
    }
    return begun
  }

  return {
    /** Posts all that is due, and what becomes due meanwhile; ends when nothing is, or after `stop`. */
    run: async (): Promise<void> => {
      while ((!stopping && (await round())) || posting.size > 0) if (posting.size > 0) await Promise.race(underWay())
    },

    start: (): void => {
      stopping = false
    },
    /** Claims nothing more; a `run` ends when what it is posting has been answered. */
    stop: (): void => {
      stopping = true
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
