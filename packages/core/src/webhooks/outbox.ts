import type { WebhookDelivery } from './webhook-delivery.js'

/** Which posts a worker takes, and until when they are its own. */
export type WebhookClaim = {
  readonly projectId: string
  readonly worker: string
  readonly now: string
  readonly leaseUntil: string
  readonly limit: number
}

/** What became of a claimed post: what it was when it was claimed, and what it is now. */
export type SettledPost = { readonly claimed: WebhookDelivery; readonly became: WebhookDelivery }

/**
 * Events on their way to the webhooks of their projects, taken and recorded in batches. The records are those of the repository
 * `webhookDeliveries`. Every promise that resolves was durable first.
 */
export interface WebhookOutbox {
  /** Keeps them. An event that its project's outbox has already is passed over. */
  add(deliveries: readonly WebhookDelivery[]): Promise<void>
  /** The projects that have posts due now. */
  due(now: string): Promise<readonly string[]>
  /**
   * Up to `limit` due posts of the project, the longest due first: now the worker's until `leaseUntil`, which their `nextAt` says, with
   * one attempt more. None is handed to two workers.
   */
  claim(claim: WebhookClaim): Promise<readonly WebhookDelivery[]>
  /** Records what they became. One that is not that claim's any more is passed over, as is one that was removed. */
  settle(posts: readonly SettledPost[]): Promise<void>
  /** Forgets what was told before that instant, unless it waits still; answers how many. */
  prune(before: string): Promise<number>
  /** Forgets what is not among the newest `most` of the project, by when they were told, unless it waits still; answers how many. */
  trim(projectId: string, most: number): Promise<number>
}
