import type { Feed } from './email-content.js'

/** Fetches a feed as data for the template. @throws Error with the reason (unreachable, too large, not that format) */
export interface FeedReader {
  read(feed: Pick<Feed, 'url' | 'feedType'>): Promise<unknown>
}

/** What the HTML says, as plain text. Template tags in text and in link targets are kept as they stand. */
export type PlainText = (html: string) => string

/**
 * Turns a visual editor's document into an HTML template, merge tags kept as they stand. Asked once for each distinct document.
 * @throws Refusal `blocked` with the reason for a document it does not know
 */
export type VisualRenderer = (document: unknown) => Promise<string>
