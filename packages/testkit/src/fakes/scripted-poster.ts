import type { EventPoster, WebhookPost, WebhookPostOutcome } from '@posthorn/core/ports/runtime'

/** Undefined: the receiver responds with 200. */
export type PostOutcomeScript = (
  post: WebhookPost,
) => WebhookPostOutcome | undefined | Promise<WebhookPostOutcome | undefined>

export type ScriptedPoster = EventPoster & {
  /** Whatever its outcome, in order. */
  readonly posts: readonly WebhookPost[]
  /** Sets the outcome of posts from now on. */
  readonly answer: (script: PostOutcomeScript) => void
}

/** A poster that records posts and returns scripted outcomes. */
export const scriptedPoster = (): ScriptedPoster => {
  const posts: WebhookPost[] = []
  let script: PostOutcomeScript = () => undefined

  return {
    posts,
    answer: (next) => {
      script = next
    },
    post: async (post) => {
      posts.push(structuredClone(post))
      return (await script(post)) ?? { kind: 'answered', status: 200 }
    },
  }
}
