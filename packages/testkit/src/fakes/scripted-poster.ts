import type { EventPost, EventPoster, PostOutcome } from '@posthorn/core/ports'

/** What becomes of a post; undefined: the receiver answers 200. */
export type PostScript = (post: EventPost) => PostOutcome | undefined | Promise<PostOutcome | undefined>

export type ScriptedPoster = EventPoster & {
  /** Everything that was posted, whatever became of it, in order. */
  readonly posts: readonly EventPost[]
  /** Says what becomes of posts from now on. */
  readonly answer: (script: PostScript) => void
}

/** A poster that keeps what it is given and answers as it is told. */
export const scriptedPoster = (): ScriptedPoster => {
  const posts: EventPost[] = []
  let script: PostScript = () => undefined

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
