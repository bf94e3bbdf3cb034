import { valueMemoryBytes } from '../kernel/byte-bounded-cache.js'
import { concurrencyLimiter } from '../kernel/limiter.js'
import type { Clock } from '../kernel/ports.js'
import { busy, isBusyRefusal } from '../kernel/refusal.js'
import type { AccountOf } from '../projects/project.js'
import type { Feed } from './feed.js'
import type { FeedReader } from './ports.js'

/** A required feed failed: no mail of the dispatch may be sent. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure'
}

export type FeedValues = Readonly<Record<string, unknown>>

const megabyte = 1024 * 1024

/** Characters of all feeds of an email, as JSON. */
const mostFeedCharacters = 10_000_000
/** Bytes of all feeds of an email, in memory. */
const mostFeedBytes = 64 * megabyte
/** Four times the maximum size of 5 MB. */
const unreadFeedBytes = 20 * megabyte
/** In bytes: per account, one dispatch with the largest feeds, or three with one feed each. */
const room = { total: 3 * mostFeedBytes, perOwner: mostFeedBytes, waiting: 100 }

const readersOfOne = 2
/** In ms; after that, no further feed of an email is begun. */
const longestReading = 30_000

const keyOf = ({ url, feedType }: Pick<Feed, 'url' | 'feedType'>): string => JSON.stringify([feedType, url])

export const countDistinctFeeds = (feeds: readonly Feed[]): number => new Set(feeds.map(keyOf)).size

export const estimateUnreadFeedBytes = (feeds: number): number => Math.min(feeds * unreadFeedBytes, mostFeedBytes)

const jsonLength = (value: unknown): number => JSON.stringify(value)?.length ?? 0

type Deps = { readonly feedReader: FeedReader; readonly accountOf: AccountOf; readonly clock: Clock }

export type FeedTurn = {
  /**
   * Null for optional feeds that failed.
   * @throws FeedFailure for a required feed, or if the feeds are too large together; Refusal `busy`
   */
  readonly read: (feeds: readonly Feed[], projectId: string) => Promise<FeedValues>
  readonly settle: (bytes: number) => void
}

/** Memory is taken before the first byte is read and held while the values are used. */
export const feedLoader = ({ feedReader, accountOf, clock }: Deps) => {
  const memory = concurrencyLimiter(room)
  const reading = new Map<string, Promise<unknown>>()

  const readOnce = (feed: Feed, projectId: string): Promise<unknown> => {
    const key = `${projectId} ${keyOf(feed)}`
    const same = reading.get(key)
    if (same) return same
    const read = feedReader
      .read({ url: feed.url, feedType: feed.feedType }, projectId)
      .finally(() => reading.delete(key))
    reading.set(key, read)
    return read
  }

  const failureOf = (variableName: string, error: unknown): unknown => {
    if (isBusyRefusal(error)) return error
    const reason = error instanceof Error ? error.message : String(error)
    return new FeedFailure(`The feed ${variableName} could not be read: ${reason}`)
  }

  /** Resolves only when no feed is being read any more, even if one failed. */
  const read = async (feeds: readonly Feed[], projectId: string): Promise<FeedValues> => {
    const until = clock().getTime() + longestReading
    const values = new Map<string, Promise<unknown>>()
    const found = new Map<string, unknown>()
    const failures: unknown[] = []
    let [characters, bytes] = [0, 0]

    const readShared = (feed: Feed): Promise<unknown> => {
      const key = keyOf(feed)
      if (!values.has(key) && clock().getTime() >= until) throw new Error('the feeds before it took too long')
      const value = values.get(key) ?? readOnce(feed, projectId)
      values.set(key, value)
      return value
    }

    const readOne = async (feed: Feed): Promise<void> => {
      const { variableName, required } = feed
      try {
        const value = await readShared(feed)
        characters += jsonLength(value)
        bytes += valueMemoryBytes(value)
        found.set(variableName, value)
      } catch (error) {
        if (required) failures.push(failureOf(variableName, error))
      }
      if (characters > mostFeedCharacters)
        failures.push(
          new FeedFailure(
            `The feeds have more than ${mostFeedCharacters} characters together. Use fewer or shorter feeds.`,
          ),
        )
      else if (bytes > mostFeedBytes)
        failures.push(new FeedFailure('The feeds have too many values together. Use fewer or shorter feeds.'))
    }

    const waiting = [...feeds]
    const readSome = async (): Promise<void> => {
      for (let next = waiting.shift(); next && failures.length === 0; next = waiting.shift()) await readOne(next)
    }
    await Promise.all(Array.from({ length: readersOfOne }, readSome))
    const [failure] = failures
    if (failure) throw failure
    return Object.fromEntries(feeds.map(({ variableName }) => [variableName, found.get(variableName) ?? null]))
  }

  return {
    /**
     * @param bytes the charge until the size of the values is known
     * @throws Refusal `busy` if too many charges of the account are waiting; whatever `use` throws
     */
    during: async <T>(projectId: string, bytes: number, use: (turn: FeedTurn) => Promise<T>): Promise<T> => {
      const charge = await memory.take(await accountOf(projectId), bytes)
      if (!charge) throw busy('Too many feeds of this account are being read. Please try again in a minute.')
      const { settle } = charge
      try {
        return await use({
          settle,
          read: async (...asked) => {
            const values = await read(...asked)
            settle(valueMemoryBytes(values))
            return values
          },
        })
      } finally {
        settle(0)
      }
    },
  }
}
export type FeedLoader = ReturnType<typeof feedLoader>
