import type { FeedReader } from '@posthorn/core/ports/runtime'

/** By URL. A feed that is an Error fails with it; other URLs cannot be reached. */
export const scriptedFeeds = (
  feeds: Readonly<Record<string, unknown>> = {},
): FeedReader & { readonly reads: readonly string[] } => {
  const reads: string[] = []
  return {
    reads,
    read: async ({ url }) => {
      reads.push(url)
      if (!Object.hasOwn(feeds, url)) throw new Error(`${url} cannot be reached`)
      const feed = feeds[url]
      if (feed instanceof Error) throw feed
      return structuredClone(feed)
    },
  }
}
