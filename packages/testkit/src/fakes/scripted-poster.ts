import type { EventPoster, PostOutcome, WebhookPost } from '@posthorn/core/ports/runtime'

/** Decides the outcome of a post; undefined means that the receiver responds with 200. */
export type PostOutcomeScript = (post: WebhookPost) => PostOutcome | undefined | Promise<PostOutcome | undefined>

export type ScriptedPoster = EventPoster & {
  /** Every post, whatever its outcome, in order. */
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
