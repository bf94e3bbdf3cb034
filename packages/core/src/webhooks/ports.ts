import type { WebhookDelivery } from './webhook-delivery.js'

/**
 * The outcome of a post. The `reason` is shown to the person who configured the webhook, after «because»; it contains no address and no
 * internal detail.
 */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly reason: string }

export type EventPost = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Posts to a URL that a client chose: only http and https, without redirects, and only to public addresses unless the operator allows
 * others. Resolves within a bounded time, whatever the receiver does.
 */
export interface EventPoster {
  post(post: EventPost): Promise<PostOutcome>
}

/** Which deliveries a worker claims, and until when. */
export type WebhookClaim = {
  readonly projectId: string
  readonly worker: string
  readonly now: string
  readonly leaseUntil: string
  readonly limit: number
}

/** A claimed delivery before and after its post. */
export type SettledPost = { readonly claimed: WebhookDelivery; readonly became: WebhookDelivery }

/**
 * Events queued for the webhooks of their projects, claimed and settled in batches. The records are those of the repository
 * `webhookDeliveries`. A promise resolves only after its change is durable.
 */
export interface WebhookOutbox {
  /** Stores the deliveries; skips events that their project's outbox has already. */
  add(deliveries: readonly WebhookDelivery[]): Promise<void>
  due(now: string): Promise<readonly string[]>
  /**
   * Claims up to `limit` due deliveries of the project, the longest due first. `nextAt` becomes `leaseUntil`, and `attempts` grows by one.
   * Two workers never claim the same delivery.
   */
  claim(claim: WebhookClaim): Promise<readonly WebhookDelivery[]>
  /** Stores the new states. Deliveries that were removed or that another claim took over are skipped. */
  settle(posts: readonly SettledPost[]): Promise<void>
  /** Removes deliveries created before the time, except pending ones; returns their number. */
  prune(before: string): Promise<number>
  /** Removes all but the newest `most` deliveries of the project, except pending ones; returns their number. */
  trim(projectId: string, most: number): Promise<number>
}
