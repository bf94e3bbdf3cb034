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
