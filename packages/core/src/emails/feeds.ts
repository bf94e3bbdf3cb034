import type { Feed } from './email-content.js'
import type { FeedReader } from './ports.js'

/** A required feed could not be read: nothing of the sending may leave. */
export class FeedFailure extends Error {
  override readonly name = 'FeedFailure'
}

/**
 * All feeds of an email, by variable name, each read once. One that fails and is not required is empty.
 * @throws FeedFailure naming the first required feed that failed, and why
 */
export const readFeeds = async (
  reader: FeedReader,
  feeds: readonly Feed[],
): Promise<Readonly<Record<string, unknown>>> => {
  const read = async ({ variableName, url, feedType, required }: Feed): Promise<readonly [string, unknown]> => {
    try {
      return [variableName, await reader.read({ url, feedType })]
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (required) throw new FeedFailure(`The feed ${variableName} could not be read: ${reason}`)
      return [variableName, undefined]
    }
  }
  return Object.fromEntries(await Promise.all(feeds.map(read)))
}
