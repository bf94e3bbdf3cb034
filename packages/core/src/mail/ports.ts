import type { Feed } from './feed.js'

/** @throws Error with the reason, which reveals no address and no internals */
export interface FeedReader {
  read(feed: Pick<Feed, 'url' | 'feedType'>, projectId: string): Promise<unknown>
}

/**
 * Keeps all characters of texts and link targets except white space. The size does not predict how long it takes: an
 * adapter works where it can be terminated, and gives each project a share.
 * @throws Refusal `blocked` with the reason, `busy` if too much of the project's work is waiting
 */
export type PlainTextConverter = (html: string, projectId: string) => Promise<string>

/**
 * Merge tags stay unchanged. Called once per distinct document, and bounded as `PlainTextConverter` is.
 * @throws Refusal `blocked` with the reason for an unsupported document, `busy` if too much of the project's work is
 * waiting
 */
export type VisualRenderer = (document: unknown, projectId: string) => Promise<string>
