import type { Clock, Runtime, Secrets } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { endpointHealthRecorder } from './endpoint-health.js'
import type { EndpointLimiter } from './endpoint-limiter.js'
import type { EventPoster, SettledPost, WebhookOutbox, WebhookPost, WebhookRef } from './ports.js'
import type { WebhookTarget, WebhookTargetLookup } from './targets.js'
import { type Webhook, wantsEventType } from './webhook.js'
import {
  afterAttempt,
  isPostAccepted,
  moveWebhookDelivery,
  postOutcomeText,
  releasedWebhookDelivery,
  type WebhookDelivery,
  type WebhookPostOutcome,
} from './webhook-delivery.js'
import { disabledBy, type SigningSecret } from './webhook-secret.js'

/** Events, and characters, per post. */
export const mostBatchEvents = 100
const largestBatch = 1_000_000

/** Halves after each attempt: one rejected event does not block the others for long. */
const mostAfter = (attempts: number) => Math.max(1, mostBatchEvents >> Math.max(0, attempts - 1))

export const webhookDeliveryBatches = (
  deliveries: readonly WebhookDelivery[],
): readonly (readonly WebhookDelivery[])[] => {
  const batches: WebhookDelivery[][] = []
  const open = new Map<number, { readonly batch: WebhookDelivery[]; size: number }>()
  for (const delivery of deliveries) {
    const most = mostAfter(delivery.attempts)
    const last = open.get(most)
    if (last && last.batch.length < most && last.size + delivery.body.length <= largestBatch) {
      last.batch.push(delivery)
      last.size += delivery.body.length
    } else {
      const batch = [delivery]
      batches.push(batch)
      open.set(most, { batch, size: delivery.body.length })
    }
  }
  return batches
}

const withId = ({ _id, body }: Pick<WebhookDelivery, '_id' | 'body'>) => `{"id":${JSON.stringify(_id)},${body.slice(1)}`

/** The id is the same whenever the same events are posted together. */
export const batchPostOf = (
  deliveries: readonly Pick<WebhookDelivery, '_id' | 'body'>[],
  { digest }: Pick<Secrets, 'digest'>,
): { readonly id: string; readonly body: string } => ({
  id: `batch_${digest(deliveries.map(({ _id }) => _id).join(' ')).slice(0, 24)}`,
  body: `{"events":[${deliveries.map(withId).join(',')}]}`,
})

/** `id` is the same at every attempt; `body` is exactly what is posted. */
export type PostToSign = { readonly id: string; readonly at: Date; readonly body: string }

/**
 * Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. An API key is also sent as bearer token (gaps.md,
 * "Webhook").
 */
export const signedPost = (
  url: string,
  { id, at, body }: PostToSign,
  secret: SigningSecret,
  { hmac }: Pick<Secrets, 'hmac'>,
): WebhookPost => {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = secret.kind === 'own' ? secret.bytes : secret.text
  const headers = {
    'content-type': 'application/json',
    ...(secret.kind === 'api-key' && { authorization: `Bearer ${secret.text}` }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmac(key, `${id}.${timestamp}.${body}`)}`,
  }
  return { url, headers, body }
}

/** Outcomes stored together, and how long the first waits, in ms. After a crash, these events are posted twice. */
const mostWaiting = 500
const longestWait = 2_000

/** Outcomes that arrive during a write go into the next batch. */
const postOutcomes = ({ settle }: Pick<WebhookOutbox, 'settle'>, clock: Clock) => {
  let waiting: SettledPost[] = []
  let writing: Promise<void> = Promise.resolve()
  let since = 0

  /** Drops outcomes that cannot be stored: the claim expires, and the event is posted again with the same id. */
  const write = async () => {
    const posts = waiting
    waiting = []
    if (posts.length > 0) await settle(posts)
  }
  /** Resolves when all earlier outcomes are stored. @throws the store's error */
  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write)
    return writing
  }

  return {
    flush,
    add: async (posts: readonly SettledPost[]): Promise<void> => {
      const now = clock().getTime()
      if (waiting.length === 0) since = now
      waiting.push(...posts)
      if (waiting.length >= mostWaiting || now - since >= longestWait) await flush()
    },
  }
}

export type EventPostsDeps = Pick<Runtime, 'clock' | 'sleep' | 'log'> & {
  readonly repositories: RepositoriesFor<{ webhooks: Webhook }>
  readonly webhookOutbox: Pick<WebhookOutbox, 'settle'>
  readonly eventPoster: EventPoster
  readonly secrets: Pick<Secrets, 'digest' | 'hmac'>
  readonly targets: WebhookTargetLookup
  readonly turns: EndpointLimiter
  /** If true, no new post begins, and the rest of the claim is released. */
  readonly isStopping: () => boolean
}

type SwitchedOff = { readonly kind: 'switched-off'; readonly reason: string }
/** `isOurs`: this server's fault, not the receiver's. */
type Fault = WebhookPostOutcome & { readonly isOurs?: true }
type Events = readonly [WebhookDelivery, ...WebhookDelivery[]]

/** In ms, with a margin. No post begins with less time left in its lease. */
const postTime = 15_000

export const eventPosts = (deps: EventPostsDeps) => {
  const { webhookOutbox, eventPoster, secrets, clock, log, targets, turns, isStopping } = deps
  const health = endpointHealthRecorder(deps)
  const settled = postOutcomes(webhookOutbox, clock)

  const iso = (milliseconds = 0) => new Date(clock().getTime() + milliseconds).toISOString()

  /** This server's faults count as attempts, too: no event is retried forever. */
  const attempted = async ({ webhook, ...target }: WebhookTarget, events: Events): Promise<Fault | SwitchedOff> => {
    const [first] = events
    try {
      const secret = await target.secret
      const disabled = disabledBy(webhook, secret)
      if (disabled) return { kind: 'switched-off', reason: disabled.reason }
      const { id, body } = webhook.batches ? batchPostOf(events, secrets) : { id: first._id, body: first.body }
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

  const deliver = async (
    events: Events,
  ): Promise<{ readonly webhook: Webhook; readonly outcome: Fault } | undefined> => {
    const [first] = events
    if (isStopping() || iso(postTime) > first.nextAt) {
      const now = iso()
      await record(events, (delivery) => releasedWebhookDelivery(delivery, now))
      return undefined
    }
    const target = await targets.one(first)
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
    const { projectId, webhookId, _id: webhookDeliveryId, attempts: attempt } = first
    const { isOurs: _, ...result } = outcome
    const told = { projectId, webhookId, webhookDeliveryId, events: events.length, attempt, ...result }
    if (isPostAccepted(outcome)) log('debug', 'An event was posted', told)
    else log('warn', 'A webhook did not take an event', told)
    return { webhook: target.webhook, outcome }
  }

  /** The others are given up. */
  const stillWanted = async (
    page: readonly WebhookDelivery[],
    webhook: Webhook | undefined,
  ): Promise<readonly WebhookDelivery[]> => {
    if (!webhook) return page
    const unwanted = page.filter(({ type }) => !wantsEventType(webhook, type))
    for (const delivery of unwanted) await giveUp([delivery], `The webhook no longer asks for ${delivery.type}`)
    return unwanted.length === 0 ? page : page.filter(({ type }) => wantsEventType(webhook, type))
  }

  const post = async (ref: WebhookRef, page: readonly WebhookDelivery[]) => {
    const webhook = (await targets.one(ref))?.webhook
    const wanted = await stillWanted(page, webhook)
    const groups = webhook?.batches ? webhookDeliveryBatches(wanted) : wanted.map((delivery) => [delivery])
    const toOne = turns.toOne(ref.webhookId)
    const posts = groups.map((events) => toOne.run('', () => turns.take(ref, () => deliver(events as Events))))
    await Promise.allSettled(posts)
    const results = (await Promise.all(posts)).filter((result) => result !== undefined)
    const accepted = results.some(({ outcome }) => isPostAccepted(outcome))
    const failed = results.findLast(({ outcome }) => !isPostAccepted(outcome) && !outcome.isOurs)
    const of = results.at(-1)?.webhook
    const noted =
      of && (await health.note(of, { accepted, failure: failed && `the receiver ${postOutcomeText(failed.outcome)}` }))
    if (noted) targets.forget(ref.projectId)
  }

  /** @throws the store's error, after all posts have ended */
  return async (ref: WebhookRef, page: readonly WebhookDelivery[]): Promise<void> => {
    try {
      await post(ref, page)
    } finally {
      await settled.flush()
    }
  }
}
