import type { Feed } from './content.js'

/*
 * Their input comes from projects, and its processing time cannot be predicted from its size. So an adapter runs the work where it can be
 * terminated and gives each project a share.
 * @throws Refusal `busy` from all of them, if too much of the project's work is waiting
 */

/** Fetches a feed as template data. @throws Error with the reason, which reveals no address and no internals */
export interface FeedReader {
  read(feed: Pick<Feed, 'url' | 'feedType'>, projectId: string): Promise<unknown>
}

/**
 * Converts HTML to plain text. Keeps all characters of its texts and link targets except white space.
 * @throws Refusal `blocked` with the reason
 */
export type PlainText = (html: string, projectId: string) => Promise<string>

/**
 * Turns a visual editor's document into an HTML template; merge tags stay unchanged. Called once per distinct document.
 * @throws Refusal `blocked` with the reason for an unsupported document
 */
export type VisualRenderer = (document: unknown, projectId: string) => Promise<string>
