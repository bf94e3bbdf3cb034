import type { Clock, Log, Secrets, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { endpointHealth } from './endpoint-health.js'
import type { EndpointTurns } from './endpoint-turns.js'
import { batchOf, inBatches } from './event-batch.js'
import type { WebhookOutbox } from './outbox.js'
import type { EventPoster, PostOutcome } from './ports.js'
import { settledPosts } from './settled-posts.js'
import { signedPost } from './signing.js'
import type { Target, WebhookTargets } from './targets.js'
import { type Webhook, wants } from './webhook.js'
import {
  afterAttempt,
  isAccepted,
  moveWebhookDelivery,
  outcomeText,
  released,
  type WebhookDelivery,
} from './webhook-delivery.js'
import { disabledBy } from './webhook-secret.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ webhooks: Webhook }>
  readonly webhookOutbox: Pick<WebhookOutbox, 'settle'>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac' | 'open'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly log: Log
  readonly targets: WebhookTargets
  readonly turns: EndpointTurns
  /** Once this returns true, no new post begins, and the rest of the claim is released. */
  readonly isStopping: () => boolean
}

/** Nothing was posted, because the webhook is disabled. */
type SwitchedOff = { readonly kind: 'switched-off'; readonly reason: string }
/** A failed post; with `isOurs`, the fault was this server's, not the receiver's. */
type Fault = PostOutcome & { readonly isOurs?: true }
type Events = readonly [WebhookDelivery, ...WebhookDelivery[]]

/** The maximum duration of a post, in ms, with a margin. No post begins with less time left in its lease. */
const postTime = 15_000

/** Posts pages of claimed events, and records each outcome and the webhook's health. */
export const pagePosting = (deps: Deps) => {
  const { webhookOutbox, eventPoster, secrets, clock, log, targets, turns, isStopping } = deps
  const health = endpointHealth(deps)
  const settled = settledPosts(webhookOutbox, clock)

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  /** A fault of this server counts as an attempt too, so that no event is retried forever. */
  const attempted = async ({ webhook, ...target }: Target, events: Events): Promise<Fault | SwitchedOff> => {
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

  /** Sends the events in one post and returns the outcome; undefined if nothing was posted. */
  const deliver = async (
    events: Events,
  ): Promise<{ readonly webhook: Webhook; readonly outcome: Fault } | undefined> => {
    const [first] = events
    if (isStopping() || iso(postTime) > first.nextAt) {
      const now = iso()
      await record(events, (delivery) => released(delivery, now))
      return undefined
    }
    const target = await targets.of(first.projectId)
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

  /** The deliveries that the webhook still wants; the others are given up. */
  const stillWanted = async (
    page: readonly WebhookDelivery[],
    webhook: Webhook | undefined,
  ): Promise<readonly WebhookDelivery[]> => {
    if (!webhook) return page
    const unwanted = page.filter(({ type }) => !wants(webhook, type))
    for (const delivery of unwanted) await giveUp([delivery], `The webhook no longer asks for ${delivery.type}`)
    return unwanted.length === 0 ? page : page.filter(({ type }) => wants(webhook, type))
  }

  const post = async (projectId: string, page: readonly WebhookDelivery[]) => {
    const webhook = (await targets.of(projectId))?.webhook
    const wanted = await stillWanted(page, webhook)
    const groups = webhook?.batches ? inBatches(wanted) : wanted.map((delivery) => [delivery])
    const toOne = turns.toOne(projectId)
    const posts = groups.map((events) => toOne(() => turns.take(projectId, () => deliver(events as Events))))
    await Promise.allSettled(posts)
    const results = (await Promise.all(posts)).filter((result) => result !== undefined)
    const accepted = results.some(({ outcome }) => isAccepted(outcome))
    const failed = results.findLast(({ outcome }) => !isAccepted(outcome) && !outcome.isOurs)
    const of = results.at(-1)?.webhook
    const noted =
      of && (await health.note(of, { accepted, failure: failed && `the receiver ${outcomeText(failed.outcome)}` }))
    if (noted) targets.forget(projectId)
  }

  /** Posts a project's claimed deliveries, and records the outcomes. @throws the store's error, after all posts have ended */
  return async (projectId: string, page: readonly WebhookDelivery[]): Promise<void> => {
    try {
      await post(projectId, page)
    } finally {
      await settled.flush()
    }
  }
}
