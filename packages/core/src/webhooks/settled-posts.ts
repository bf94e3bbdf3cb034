import type { SettledPost, WebhookOutbox } from './outbox.js'

/** How many outcomes may wait: so many events may come twice after a crash. */
const mostWaiting = 200

/** Records what became of posts together: what comes while a batch is being written waits for the next. */
export const settledPosts = ({ settle }: Pick<WebhookOutbox, 'settle'>) => {
  let waiting: SettledPost[] = []
  let writing: Promise<void> = Promise.resolve()

  /** What cannot be recorded is dropped: its claim ends, and it is posted again under the same id. */
  const write = async () => {
    const posts = waiting
    waiting = []
    if (posts.length > 0) await settle(posts)
  }
  /** Resolves when all that came before is on record. @throws what the store threw */
  const flush = (): Promise<void> => {
    writing = writing.catch(() => undefined).then(write)
    return writing
  }

  return {
    flush,
    add: async (posts: readonly SettledPost[]): Promise<void> => {
      waiting.push(...posts)
      if (waiting.length >= mostWaiting) await flush()
    },
  }
}
