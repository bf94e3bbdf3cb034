import type { WebhookDelivery, WebhookPostOutcome } from './webhook-delivery.js'

export type WebhookPost = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Posts to a URL that a client chose: http or https, no redirects, public addresses unless the operator allows others.
 * Takes a bounded time.
 */
export interface EventPoster {
  post(post: WebhookPost): Promise<WebhookPostOutcome>
  /** Whether the URL alone shows that nothing is ever posted there. A host name shows it only when it is resolved. */
  refuses?(url: string): boolean
}

export type WebhookRef = { readonly projectId: string; readonly webhookId: string }

type WebhookClaim = WebhookRef & {
  readonly worker: string
  readonly now: string
  readonly leaseUntil: string
  readonly limit: number
}

export type SettledPost = { readonly claimed: WebhookDelivery; readonly became: WebhookDelivery }

/** The records of the repository `webhookDeliveries`. Changes are durable when a promise resolves. */
export interface WebhookOutbox {
  /** Skips events that the outbox already has for the same webhook. */
  add(deliveries: readonly WebhookDelivery[]): Promise<void>
  due(now: string): Promise<readonly WebhookRef[]>
  /**
   * The longest due first: `nextAt` becomes `leaseUntil`, `attempts` grows by one. Two workers never claim the same
   * delivery.
   */
  claim(claim: WebhookClaim): Promise<readonly WebhookDelivery[]>
  /** Skips deliveries that were removed or that another claim took over. */
  settle(posts: readonly SettledPost[]): Promise<void>
  /** Removes deliveries created before then, except pending ones; returns their number. */
  prune(before: string): Promise<number>
  /** Removes the oldest above `most`, except pending ones. Returns the number. */
  trim(webhook: WebhookRef, most: number): Promise<number>
}
