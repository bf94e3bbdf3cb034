import { isBusy } from '../kernel/refusal.js'
import type { Feed } from './email-content.js'
import type { FeedReader } from './ports.js'

/** A required feed could not be read: nothing of the sending may leave. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure'
}

/** Of all feeds of an email together, as JSON: they are in memory for as long as the sending is under way. */
export const mostFeedCharacters = 10_000_000

/** Characters of a value as JSON. */
export const jsonLength = (value: unknown): number => JSON.stringify(value)?.length ?? 0

/**
 * All feeds of an email, by variable name, each read once. One that fails and is not required is empty.
 * @throws FeedFailure naming the first required feed that failed, and why, or that all are too large together; Refusal `busy`
 */
export const readFeeds = async (
  reader: FeedReader,
  feeds: readonly Feed[],
  projectId: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const read = async ({ variableName, url, feedType, required }: Feed): Promise<readonly [string, unknown]> => {
    try {
      return [variableName, await reader.read({ url, feedType }, projectId)]
    } catch (error) {
      if (!required) return [variableName, undefined]
      if (isBusy(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new FeedFailure(`The feed ${variableName} could not be read: ${reason}`)
    }
  }
  const found = Object.fromEntries(await Promise.all(feeds.map(read)))
  if (feeds.length > 0 && jsonLength(found) > mostFeedCharacters)
    throw new FeedFailure(
      `The feeds have more than ${mostFeedCharacters} characters in all. Send fewer, or shorter ones.`,
    )
  return found
}
