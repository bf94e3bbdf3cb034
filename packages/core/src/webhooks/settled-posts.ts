import type { Clock } from '../kernel/ports.js'
import type { SettledPost, WebhookOutbox } from './outbox.js'

/**
 * How many outcomes wait at most to be stored together, and for how long, in ms, while more arrive. After a crash, these events are posted
 * twice.
 */
const mostWaiting = 500
const longestWait = 2_000

/** Stores the outcomes of posts in batches; outcomes that arrive during a write go into the next. */
export const settledPosts = ({ settle }: Pick<WebhookOutbox, 'settle'>, clock: Clock) => {
  let waiting: SettledPost[] = []
  let writing: Promise<void> = Promise.resolve()
  /** When the oldest waiting outcome arrived. */
  let since = 0

  /** An outcome that cannot be stored is dropped: its claim expires, and the event is posted again with the same id. */
  const write = async () => {
    const posts = waiting
    waiting = []
    if (posts.length > 0) await settle(posts)
  }
  /** Resolves when all earlier outcomes are stored. @throws the store's error */
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
