import type { Clock } from '../kernel/ports.js'
import type { SettledPost, WebhookOutbox } from './outbox.js'

/** How many outcomes may wait, and how long while others come, in milliseconds: so many events may come twice after a crash. */
const mostWaiting = 500
const longestWait = 2_000

/** Records what became of posts together: what comes while a batch is being written waits for the next. */
export const settledPosts = ({ settle }: Pick<WebhookOutbox, 'settle'>, clock: Clock) => {
  let waiting: SettledPost[] = []
  let writing: Promise<void> = Promise.resolve()
  /** When the first of those that wait came. */
  let since = 0

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
      const now = clock().getTime()
      if (waiting.length === 0) since = now
      waiting.push(...posts)
      if (waiting.length >= mostWaiting || now - since >= longestWait) await flush()
    },
  }
}
