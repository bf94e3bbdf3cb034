import type { Feed } from './content.js'

/**
 * Processing time cannot be predicted from the size: adapters run this work where it can be terminated and give each
 * project a share.
 * @throws Refusal `busy` if too much of the project's work is waiting
 */

/** @throws Error with the reason, which reveals no address and no internals */
export interface FeedReader {
  read(feed: Pick<Feed, 'url' | 'feedType'>, projectId: string): Promise<unknown>
}

/**
 * Keeps all characters of texts and link targets except white space.
 * @throws Refusal `blocked` with the reason
 */
export type PlainTextConverter = (html: string, projectId: string) => Promise<string>

/**
 * Merge tags stay unchanged. Called once per distinct document.
 * @throws Refusal `blocked` with the reason for an unsupported document
 */
export type VisualRenderer = (document: unknown, projectId: string) => Promise<string>
