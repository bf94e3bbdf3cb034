/**
 * What became of a post. A `reason` is told to whoever configured the webhook, after «because»: it names no address
 * and no inner detail.
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
 * Posts to a URL that a stranger has chosen: http and https only, no redirects, to public addresses only unless the operator
 * allows others. Answers within a bounded time, whatever the receiver does.
 */
export interface EventPoster {
  post(post: EventPost): Promise<PostOutcome>
}
